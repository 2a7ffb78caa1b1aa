import { expect, test } from 'vitest'
import {
  type Control,
  type ControlKind,
  decideIndependence,
  decideSecondPersonRule,
  describeDependence,
  describeRuleOff,
} from './independence.ts'

const now = new Date('2026-03-10T12:00:00.000Z')
const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs)
const control = (by: string, kind: ControlKind, of: string, days: number): Control => ({
  by,
  of,
  kind,
  at: daysAgo(days),
})
const aMillisecond = 1 / dayMs

/** Ann plans, Bob confirms. */
const pair = { planner: 'ann', confirmer: 'bob' }

test.each<[what: string, controls: Control[]]>([
  ['nothing is known of them', []],
  ['the planner gave another password exactly 7 days ago', [control('ann', 'password', 'bob', 7)]],
  ['the confirmer created the planner exactly 7 days ago', [control('bob', 'created', 'ann', 7)]],
  ['a third account created both exactly 7 days ago', both('created', 7)],
  ['they control others', [control('ann', 'created', 'cat', 1), control('bob', 'roles', 'dan', 1)]],
  [
    'one link of the chain is 7 days old',
    [control('ann', 'password', 'cat', 1), control('cat', 'password', 'bob', 7)],
  ],
  [
    'the planner created the account long ago that created the confirmer long ago',
    [control('ann', 'created', 'cat', 90), control('cat', 'created', 'bob', 80)],
  ],
  ['a third account controls one of them', [control('cat', 'password', 'bob', 1)]],
])('they are independent if %s', (_what, controls) => {
  expect(decideIndependence(pair, controls, now)).toEqual({ kind: 'independent' })
})

const recently = 7 - aMillisecond

test.each<[what: string, why: 'created' | 'recent', controls: Control[]]>([
  [
    'the planner created the confirmer long ago',
    'created',
    [control('ann', 'created', 'bob', 900)],
  ],
  ...(['password', 'api-key', 'roles', 'enabled'] as const).map(
    (kind): [string, 'recent', Control[]] => [
      `${kind} by the planner less than 7 days ago`,
      'recent',
      [control('ann', kind, 'bob', recently)],
    ],
  ),
  ['the confirmer reset the planner', 'recent', [control('bob', 'password', 'ann', recently)]],
  ['the confirmer created the planner', 'recent', [control('bob', 'created', 'ann', recently)]],
  [
    'the planner reset an account that reset the confirmer',
    'recent',
    [control('ann', 'password', 'cat', 2), control('cat', 'api-key', 'bob', 1)],
  ],
  [
    'the links of the chain are in another order',
    'recent',
    [control('ann', 'password', 'cat', 1), control('cat', 'api-key', 'bob', 2)],
  ],
  [
    'the chain has many links',
    'recent',
    [
      control('ann', 'created', 'cat', 3),
      control('cat', 'created', 'dan', 2),
      control('dan', 'roles', 'eve', 2),
      control('eve', 'enabled', 'bob', 1),
    ],
  ],
  ['a third account controls both', 'recent', both('created', 6)],
  [
    'a third account controls both through others',
    'recent',
    [
      control('eve', 'password', 'cat', 1),
      control('cat', 'password', 'ann', 1),
      control('eve', 'password', 'dan', 1),
      control('dan', 'password', 'bob', 1),
    ],
  ],
])('they are dependent if %s', (_what, why, controls) => {
  const decision = decideIndependence(pair, controls, now)

  expect(decision).toMatchObject({ kind: 'dependent', why })
  expect(new Set('because' in decision ? decision.because : [])).toEqual(new Set(controls))
})

test('accounts that control each other in a circle get a decision', () => {
  const circle = [control('cat', 'roles', 'dan', 1), control('dan', 'roles', 'cat', 1)]

  expect(decideIndependence(pair, [...circle, control('dan', 'roles', 'bob', 1)], now)).toEqual({
    kind: 'independent',
  })
})

test('the reason names each change, its author, its account and its date', () => {
  const nameOf = (account: string) => account.toUpperCase()
  const because = [control('ann', 'password', 'cat', 2), control('cat', 'enabled', 'bob', 1)]

  expect(describeDependence({ kind: 'dependent', why: 'recent', because }, nameOf)).toBe(
    'The second person must be independent of the first for 7 days: CAT was given another password by ANN on 8 March 2026, ' +
      'BOB was enabled by CAT on 9 March 2026',
  )
  const creation = [control('ann', 'created', 'bob', 40)]
  expect(describeDependence({ kind: 'dependent', why: 'created', because: creation }, nameOf)).toBe(
    'An account cannot be the second person for the account that created it: BOB was created by ANN on 29 January 2026',
  )
})

test.each<[kind: ControlKind, deed: string]>([
  ['created', 'BOB was created by ANN'],
  ['password', 'BOB was given another password by ANN'],
  ['api-key', 'BOB was given another API key by ANN'],
  ['roles', 'BOB was given roles by ANN'],
  ['enabled', 'BOB was enabled by ANN'],
])('the control %s reads: %s', (kind, deed) => {
  const because = [control('ann', kind, 'bob', 1)]

  expect(
    describeDependence({ kind: 'dependent', why: 'recent', because }, (account) =>
      account.toUpperCase(),
    ),
  ).toContain(`${deed} on 9 March 2026`)
})

test.each<[operatorsAgeDays: number[], decision: object]>([
  [[], { isOn: false }],
  [[900], { isOn: false }],
  [[900, 0], { isOn: false, from: new Date('2026-03-17T12:00:00.000Z') }],
  [[recently, 900], { isOn: false, from: new Date(now.getTime() + 1) }],
  [[7, 900], { isOn: true }],
  [[0, 7, 7], { isOn: true }],
])('with operators %j days old the second-person rule is %j', (ages, decision) => {
  expect(decideSecondPersonRule(ages.map(daysAgo), now)).toEqual(decision)
})

test('the text says that the second-person rule is off, and until when', () => {
  expect(describeRuleOff({})).toBe(
    'No second person is required: no second operator has existed for 7 days yet.',
  )
  expect(describeRuleOff({ from: now })).toBe(
    'No second person is required: no second operator has existed for 7 days yet. One is required from 2026-03-10T12:00:00.000Z.',
  )
})

function both(kind: ControlKind, days: number): Control[] {
  return [control('cat', kind, 'ann', days), control('cat', kind, 'bob', days)]
}
