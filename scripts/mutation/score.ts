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

export function addScores(scores: readonly Score[]): Score {
  const sum = (key: keyof Score) => scores.reduce((total, score) => total + score[key], 0)
  return {
    killed: sum('killed'),
    survived: sum('survived'),
    uncovered: sum('uncovered'),
    hung: sum('hung'),
  }
}
