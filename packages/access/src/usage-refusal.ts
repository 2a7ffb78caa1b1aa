import type { UsageRefusalReason, UsageWindow } from '@despatch/domain/access/usage'
import { Problem } from '@despatch/domain/problem'

/** Returns the problem of a refused request, with the numbers of the limit that it exceeded. */
export function usageProblem(reason: UsageRefusalReason, windows: readonly UsageWindow[]): Problem {
  const requestsOf = (name: string) => windows.find((window) => window.name === name)?.requests
  switch (reason) {
    case 'rate': {
      const burst = requestsOf('burst')
      const above = burst === undefined ? '' : ` and ${burst} more per minute`
      return tooMany(`the limit is ${requestsOf('second')} per second${above}`)
    }
    case 'day':
      return tooMany(`the limit is ${requestsOf('day')} per day (UTC)`)
    case 'overall':
      return tooMany('the service receives more requests from all callers than it accepts')
    case 'store':
      return new Problem('unavailable', 'The usage of the service cannot be counted at present')
  }
}

function tooMany(detail: string): Problem {
  return new Problem('too-many-requests', `Too many requests: ${detail}`)
}
