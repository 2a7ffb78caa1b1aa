/** What a pass has seen: the position that was drawn last and, looked up after that, the transactions that write callbacks. */
type SeenPositions = { drawn: number; writers: readonly string[] }

export type SettledPositions = {
  /** Returns the position up to which every callback is visible or will never be, to statements that begin afterwards. */
  note(seen: SeenPositions): number
}

/**
 * Positions are drawn when callbacks are inserted, and seen when their transactions commit. So a callback may become
 * visible before another one with a lower position. A position is settled once all transactions that were writing
 * callbacks after it was drawn have ended. Later ones do not matter, so a constant stream of them holds up nothing.
 */
export function createSettledPositions(): SettledPositions {
  let settled = 0
  let settling: { drawn: number; writers: ReadonlySet<string> } | undefined
  return {
    note: ({ drawn, writers }) => {
      if (settling && !writers.some((writer) => settling!.writers.has(writer))) {
        settled = settling.drawn
        settling = undefined
      }
      if (writers.length === 0) settled = drawn
      else settling ??= { drawn, writers: new Set(writers) }
      return settled
    },
  }
}
