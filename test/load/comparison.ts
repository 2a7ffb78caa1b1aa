/** One thing measured on both sides in every round. Figures that stand at the same place are of the same round. */
export type Measure = {
  name: string
  ours: readonly number[]
  theirs: readonly number[]
  /** Of ours to theirs; absent: only shown. */
  target?: { sense: 'at least' | 'at most'; ratio: number }
}

/** One thing that has nothing beside it, measured in every round. */
export type Figure = {
  name: string
  ours: readonly number[]
  /** Absent: only shown. */
  target?: { sense: 'at least' | 'at most'; figure: number }
}

export type Comparison = {
  scenario: string
  /** What ours is held against. */
  rival: string
  measures: readonly Measure[]
  figures?: readonly Figure[]
  notes: readonly string[]
}

/** Round by round, so that what disturbed the machine in a round disturbed both sides of the ratio. */
export function ratiosOf({ ours, theirs }: Measure): number[] {
  return ours.map((figure, round) => figure / theirs[round]!)
}
