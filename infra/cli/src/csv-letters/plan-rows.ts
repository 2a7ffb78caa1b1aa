/** The place and the content of a letter: the number of its row, and the digest of what is sent. */
export type PlacedLetter = { row: number; digest: string }

/** What is known of the rows of a file before anything is sent. */
export type PlannedRows = {
  /** Rows whose letters were accepted before, perhaps at another place of the file. */
  done: ReadonlySet<number>
  /** Letters that were accepted before and are no longer in the file, in the order of their rows. */
  gone: readonly PlacedLetter[]
}

/**
 * Compares the rows of a file, as digests by their numbers, with the letters that were accepted before. A row that has
 * moved, because rows above it were added or removed, is still its letter.
 */
export function planRows(
  rows: ReadonlyMap<number, string>,
  accepted: readonly PlacedLetter[],
): PlannedRows {
  const done = new Set<number>()
  const moved = new Map<string, PlacedLetter[]>()
  for (const letter of accepted) {
    const { row, digest } = letter
    if (rows.get(row) === digest) done.add(row)
    else moved.set(digest, [...(moved.get(digest) ?? []), letter])
  }
  for (const [row, digest] of rows) {
    if (!done.has(row) && moved.get(digest)?.shift()) done.add(row)
  }
  const gone = [...moved.values()].flat().toSorted((one, other) => one.row - other.row)
  return { done, gone }
}
