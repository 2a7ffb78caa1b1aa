/** How an account gets another account into its hands. */
export type ControlKind = 'created' | 'password' | 'api-key' | 'roles' | 'enabled'

/** `by` did to `of` what lets one person use both accounts. Ids of accounts. */
export type Control = { by: string; of: string; kind: ControlKind; at: Date }

type Independence =
  | { kind: 'independent' }
  /** `created`: without a limit of time. `recent`: for 7 days. `because` connects the two accounts. */
  | { kind: 'dependent'; why: 'created' | 'recent'; because: readonly Control[] }

/** The two accounts of a decision that requires two people. */
export type Pair = {
  /** Planned the action, or requested it. */
  planner: string
  confirmer: string
}

/** The time during which one account that has controlled another counts as the same person. */
export const independenceDays = 7
const independenceMs = independenceDays * 24 * 60 * 60 * 1000

/**
 * Decides whether the confirmer is another person than the planner, as far as the accounts tell.
 *
 * - The planner has not created the confirmer, ever.
 * - Within 7 days, no account has controlled both, directly or through other accounts. Each account counts as
 *   controlling itself, so neither may have controlled the other. The order of the events in a chain does not matter:
 *   an account that was controlled once may have been used later.
 *
 * An event that is exactly 7 days old no longer counts.
 */
export function decideIndependence(
  { planner, confirmer }: Pair,
  controls: readonly Control[],
  now: Date,
): Independence {
  const creation = controls.find(
    ({ kind, by, of }) => kind === 'created' && by === planner && of === confirmer,
  )
  if (creation) return { kind: 'dependent', why: 'created', because: [creation] }
  const recent = controls.filter(({ at }) => now.getTime() - at.getTime() < independenceMs)
  const overPlanner = controllersOf(planner, recent)
  const overConfirmer = controllersOf(confirmer, recent)
  const [common] = [...overConfirmer.keys()].filter((account) => overPlanner.has(account))
  if (common === undefined) return { kind: 'independent' }
  const because = [...overPlanner.get(common)!, ...overConfirmer.get(common)!]
  return { kind: 'dependent', why: 'recent', because }
}

/** Returns each account that controls this one, nearest first, with the shortest chain from it. Begins with itself. */
function controllersOf(
  account: string,
  controls: readonly Control[],
): ReadonlyMap<string, readonly Control[]> {
  const chains = new Map<string, readonly Control[]>([[account, []]])
  // A map also visits the entries that are added during the loop.
  for (const [controlled, chain] of chains) {
    for (const control of controls) {
      if (control.of === controlled && !chains.has(control.by)) {
        chains.set(control.by, [control, ...chain])
      }
    }
  }
  return chains
}

const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** Says why the confirmer is not independent, with the names of the accounts. */
export function describeDependence(
  { why, because }: Extract<Independence, { kind: 'dependent' }>,
  nameOf: (account: string) => string,
): string {
  const events = because.map(
    ({ by, of, kind, at }) =>
      `${nameOf(of)} was ${deedOf(kind)} by ${nameOf(by)} on ${day.format(at)}`,
  )
  const rule =
    why === 'created'
      ? 'An account cannot be the second person for the account that created it'
      : `The second person must be independent of the first for ${independenceDays} days`
  return `${rule}: ${events.join(', ')}`
}

function deedOf(kind: ControlKind): string {
  switch (kind) {
    case 'created':
      return 'created'
    case 'password':
      return 'given another password'
    case 'api-key':
      return 'given another API key'
    case 'roles':
      return 'given roles'
    case 'enabled':
      return 'enabled'
  }
}

/** Whether decisions that require two people do so on this installation, and if not, from when on they will. */
export type SecondPersonRule = { isOn: true } | { isOn: false; from?: Date }

/**
 * Decides whether the rule of the second person is on: once two operators have existed for 7 days. It then stays on,
 * even if they are disabled or lose their roles, so that an admin cannot turn it off by disabling the others.
 * `operatorsSince` are the times at which accounts became an operator or an admin for the first time.
 */
export function decideSecondPersonRule(
  operatorsSince: readonly Date[],
  now: Date,
): SecondPersonRule {
  const [, second] = operatorsSince.toSorted((one, other) => one.getTime() - other.getTime())
  if (!second) return { isOn: false }
  const from = new Date(second.getTime() + independenceMs)
  return from <= now ? { isOn: true } : { isOn: false, from }
}

/** Says that the rule of the second person is off, and from when on it is on. */
export function describeRuleOff({ from }: { from?: Date }): string {
  const begins = from ? ` One is required from ${from.toISOString()}.` : ''
  return `No second person is required: no second operator has existed for ${independenceDays} days yet.${begins}`
}
