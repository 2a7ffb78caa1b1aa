/** What a walk through a file wants next: bytes to look at, bytes to pass over, or to get behind a byte of that value. */
export type Want = { take: number } | { skip: number } | { behind: number }

/** Follows the structure of a file from its first byte on. Returns true at its end, false where it makes no sense. */
export type Walk = Generator<Want, boolean, Uint8Array>

export type Walker = {
  /** Returns what of the chunk lies behind the end of the walk. */
  push(chunk: Uint8Array): Uint8Array
  /** Undefined before the walk is at its end. */
  isWhole(): boolean | undefined
}

const nothing = new Uint8Array(0)

/** Leads a walk through bytes as they arrive. Nothing is kept but the few bytes that it wants to look at. */
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
