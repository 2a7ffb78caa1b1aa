import type { PartialAcceptance } from '@despatch/contracts/full-driver-enquiry/retrieve-request'
import { describe, expect, test } from 'vitest'
import { decidePartialResponse, type PartState } from './partial-response.ts'

const acceptances = [
  'false',
  'true',
  'onConditionCPCAvailable',
  'onConditionTachoAvailable',
] as const satisfies readonly PartialAcceptance[]

type Outcome = 'complete' | `without ${string}` | '502' | '503' | '504'

/** The state of each part, and the response for each value of acceptPartialResponse, in the order above. */
const table: [
  cpc: PartState,
  tachograph: PartState,
  ...told: [Outcome, Outcome, Outcome, Outcome],
][] = [
  ['not-asked', 'not-asked', 'complete', 'complete', 'complete', 'complete'],
  ['not-asked', 'answered', 'complete', 'complete', 'complete', 'complete'],
  ['not-asked', 'failed', '502', 'without tachograph', '502', '502'],
  ['not-asked', 'unavailable', '503', 'without tachograph', '503', '503'],
  ['not-asked', 'timed-out', '504', 'without tachograph', '504', '504'],
  ['answered', 'not-asked', 'complete', 'complete', 'complete', 'complete'],
  ['answered', 'answered', 'complete', 'complete', 'complete', 'complete'],
  ['answered', 'failed', '502', 'without tachograph', 'without tachograph', '502'],
  ['answered', 'unavailable', '503', 'without tachograph', 'without tachograph', '503'],
  ['answered', 'timed-out', '504', 'without tachograph', 'without tachograph', '504'],
  ['failed', 'not-asked', '502', 'without CPC', '502', '502'],
  ['failed', 'answered', '502', 'without CPC', '502', 'without CPC'],
  ['failed', 'failed', '502', 'without CPC+tachograph', '502', '502'],
  ['failed', 'unavailable', '503', 'without CPC+tachograph', '503', '503'],
  ['failed', 'timed-out', '504', 'without CPC+tachograph', '504', '504'],
  ['unavailable', 'not-asked', '503', 'without CPC', '503', '503'],
  ['unavailable', 'answered', '503', 'without CPC', '503', 'without CPC'],
  ['unavailable', 'failed', '503', 'without CPC+tachograph', '503', '503'],
  ['unavailable', 'unavailable', '503', 'without CPC+tachograph', '503', '503'],
  ['unavailable', 'timed-out', '504', 'without CPC+tachograph', '504', '504'],
  ['timed-out', 'not-asked', '504', 'without CPC', '504', '504'],
  ['timed-out', 'answered', '504', 'without CPC', '504', 'without CPC'],
  ['timed-out', 'failed', '504', 'without CPC+tachograph', '504', '504'],
  ['timed-out', 'unavailable', '504', 'without CPC+tachograph', '504', '504'],
  ['timed-out', 'timed-out', '504', 'without CPC+tachograph', '504', '504'],
]

describe.for(table)('CPC data %s, tachograph data %s', ([cpc, tachograph, ...told]) => {
  test.for(acceptances.map((accepts, index) => [accepts, told[index]] as const))(
    'with acceptPartialResponse %s the outcome is %s',
    ([accepts, expected]) => {
      expect(outcomeOf(decidePartialResponse({ cpc, tachograph, accepts }))).toBe(expected)
    },
  )
})

test('the table has every combination of the states of the two parts', () => {
  const states = ['not-asked', 'answered', 'failed', 'unavailable', 'timed-out']
  const combinations = states.flatMap((cpc) => states.map((tachograph) => `${cpc} ${tachograph}`))

  expect(table.map(([cpc, tachograph]) => `${cpc} ${tachograph}`)).toEqual(combinations)
})

test('names each missing part and its reason', () => {
  expect(
    decidePartialResponse({ cpc: 'timed-out', tachograph: 'failed', accepts: 'true' }),
  ).toEqual({
    kind: 'answer',
    missing: [
      {
        kind: 'source-timed-out',
        detail: 'CPC data could not be retrieved: its source did not respond in time',
      },
      {
        kind: 'source-failed',
        detail: 'Tachograph data could not be retrieved: its source failed',
      },
    ],
  })
})

test('a refusal names every missing part, under the problem with the highest priority', () => {
  expect(
    decidePartialResponse({ cpc: 'failed', tachograph: 'unavailable', accepts: 'false' }),
  ).toEqual({
    kind: 'refuse',
    problem: {
      kind: 'source-unavailable',
      detail:
        'CPC data could not be retrieved: its source failed. Tachograph data could not be retrieved: its source is not available',
    },
  })
})

const statuses: Record<string, Outcome> = {
  'source-failed': '502',
  'source-unavailable': '503',
  'source-timed-out': '504',
}

function outcomeOf(decision: ReturnType<typeof decidePartialResponse>): Outcome | undefined {
  if (decision.kind === 'refuse') return statuses[decision.problem.kind]
  if (decision.missing.length === 0) return 'complete'
  const parts = decision.missing.map(({ detail }) =>
    detail.startsWith('CPC data') ? 'CPC' : 'tachograph',
  )
  return `without ${parts.join('+')}`
}
