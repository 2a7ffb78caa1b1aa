/** The state of a case at one time. */
export type Judgement = {
  /** What happened but must not have. */
  violations: readonly string[]
  /** What must still happen. */
  outstanding: readonly string[]
  /** Why the case proves nothing, although nothing is wrong. */
  notShown?: string
}

export type Verdict = { result: 'PASS' | 'FAIL' | 'NOT SHOWN'; reason: string }

/** Combines judgements, with definite violations first. */
export function combine(...judgements: readonly Partial<Judgement>[]): Judgement {
  const notShown = judgements.find((judgement) => judgement.notShown !== undefined)?.notShown
  return {
    violations: judgements.flatMap(({ violations = [] }) => violations),
    outstanding: judgements.flatMap(({ outstanding = [] }) => outstanding),
    ...(notShown !== undefined && { notShown }),
  }
}

/** Returns the verdict once the time is over or everything is shown. */
export function verdictOf({ violations, outstanding, notShown }: Judgement): Verdict {
  if (violations[0] !== undefined) return { result: 'FAIL', reason: shortened(violations) }
  if (outstanding[0] !== undefined) {
    return { result: 'FAIL', reason: `not done in time: ${shortened(outstanding)}` }
  }
  if (notShown !== undefined) return { result: 'NOT SHOWN', reason: notShown }
  return { result: 'PASS', reason: '' }
}

const toldMax = 3

function shortened(reasons: readonly string[]): string {
  const more = reasons.length > toldMax ? `; and ${reasons.length - toldMax} more` : ''
  return reasons.slice(0, toldMax).join('; ') + more
}
