/** What a walk needs next: bytes to read, bytes to skip, or to skip past the next byte of that value. */
type Want = { take: number } | { skip: number } | { behind: number }

/** Follows the structure of a file from its first byte. Returns true at its end, false if the structure is invalid. */
export type Walk = Generator<Want, boolean, Uint8Array>

export type Walker = {
  /** Returns the part of the chunk after the end of the walk. */
  push(chunk: Uint8Array): Uint8Array
  /** Returns undefined until the walk has ended. */
  isWhole(): boolean | undefined
}

const nothing = new Uint8Array(0)

/** Feeds a walk with bytes as they arrive. Buffers only the few bytes that the walk reads. */
export function startWalk(walk: Walk): Walker {
  let step = walk.next()
  let missing: number | undefined
  let taken = nothing

  const goOn = () => {
    const bytes = taken
    taken = nothing
    missing = undefined
    step = walk.next(bytes)
  }

  return {
    push: (chunk) => {
      let at = 0
      while (!step.done) {
        const want = step.value
        if ('behind' in want) {
          const foundAt = chunk.indexOf(want.behind, at)
          if (foundAt < 0) return nothing
          at = foundAt + 1
          goOn()
          continue
        }
        missing ??= 'take' in want ? want.take : want.skip
        const end = Math.min(chunk.length, at + missing)
        missing -= end - at
        if ('take' in want) taken = Uint8Array.from([...taken, ...chunk.subarray(at, end)])
        at = end
        if (missing > 0) return nothing
        goOn()
      }
      return chunk.subarray(at)
    },
    isWhole: () => (step.done ? step.value : undefined),
  }
}
