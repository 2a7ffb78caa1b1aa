/** What was found in one place, or why it could not be searched. */
export type Result<Hit> = { hits: readonly Hit[]; failure?: string }
export type Group<Hit> = Result<Hit> & { name: string }

/**
 * Returns what a term finds, in the order in which it is shown. A run, consumer or callback whose id or name is the
 * whole term comes before the letters.
 */
export function inOrder<Hit extends { names?: readonly string[] }>(
  term: string,
  { letters, others }: { letters: Result<Hit>; others: Result<Hit> },
): readonly Group<Hit>[] {
  const wanted = term.trim().toLowerCase()
  const isMeant = ({ names = [] }: Hit) => names.some((name) => name.toLowerCase() === wanted)
  const meant = others.hits.filter(isMeant)
  const rest = others.hits.filter((hit) => !isMeant(hit))
  const groups = [
    { name: 'Letters', ...letters },
    { name: 'Runs, consumers, callbacks', ...others, hits: [...meant, ...rest] },
  ]
  return meant.length > 0 ? groups.toReversed() : groups
}
