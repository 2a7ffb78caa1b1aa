/** What became of the mutants of an area. Those that hang count as not found: they say nothing within seconds. */
export type Score = { killed: number; survived: number; uncovered: number; hung: number }

export function scoreOf(statuses: readonly string[]): Score {
  const count = (status: string) => statuses.filter((each) => each === status).length
  return {
    killed: count('Killed'),
    survived: count('Survived'),
    uncovered: count('NoCoverage'),
    hung: count('Timeout'),
  }
}

/** Returns the percentage that tests find, with one decimal; 100 if there are none. */
export function percentOf({ killed, survived, uncovered, hung }: Score): number {
  const all = killed + survived + uncovered + hung
  return all === 0 ? 100 : Math.floor((1000 * killed) / all) / 10
}

/** Returns the page with the row of an area in its table, which is last on it, in the order of names. */
export function withRow(
  page: string,
  { name, target }: { name: string; target: number },
  score: Score,
): string {
  const { killed, survived, uncovered, hung } = score
  const cells = [name, `${percentOf(score)} %`, `${target} %`, killed, survived, uncovered, hung]
  const lines = page.trimEnd().split('\n')
  const from = lines.findLastIndex((line) => line.startsWith('| -')) + 1
  const rows = new Map(lines.slice(from).map((line) => [line.split('|')[1]!.trim(), line]))
  rows.set(name, `| ${cells.join(' | ')} |`)
  const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1))
  return `${[...lines.slice(0, from), ...sorted.map(([, line]) => line)].join('\n')}\n`
}
