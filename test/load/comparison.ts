/** One quantity, measured on both sides in every round. Figures at the same index are from the same round. */
export type Measure = {
  name: string
  ours: readonly number[]
  theirs: readonly number[]
  /** The required ratio of ours to theirs. Absent: the figures are only shown. */
  target?: { sense: 'at least' | 'at most'; ratio: number }
}

/** One quantity without a rival, measured in every round. */
export type Figure = {
  name: string
  ours: readonly number[]
  /** Absent: the figures are only shown. */
  target?: { sense: 'at least' | 'at most'; figure: number }
}

export type Comparison = {
  scenario: string
  /** What our side is compared with. */
  rival: string
  measures: readonly Measure[]
  figures?: readonly Figure[]
  notes: readonly string[]
}

/** Computes the ratio of each round, so that a disturbance of the machine affects both sides of the ratio. */
export function ratiosOf({ ours, theirs }: Measure): number[] {
  return ours.map((figure, round) => figure / theirs[round]!)
}
