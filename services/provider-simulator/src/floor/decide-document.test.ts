import { expect, test } from 'vitest'
import {
  type DocumentOrder,
  decideOutcome,
  decideRefusal,
  decideReturn,
} from './decide-document.ts'
import { floorSchema } from './settings.ts'

const print: DocumentOrder = { outcome: 'print' }
const none = floorSchema.parse({ seed: 'seed' })
const smudged = { reasonCode: 'SMUDGED', reason: 'Smudged' }
const first = { documentId: 'D1', attempt: 1, firstAttempt: 1 }
const ids = Array.from({ length: 10_000 }, (_, number) => `D${number}`)

test('nothing goes wrong unless configured', () => {
  const documents = ids.map((documentId) => ({ documentId, attempt: 1, firstAttempt: 1 }))

  expect(ids.filter((id) => decideRefusal(id, print, none))).toEqual([])
  expect(ids.filter((id) => decideReturn(id, print, none))).toEqual([])
  expect(new Set(documents.map((each) => decideOutcome(each, print, none).kind))).toEqual(
    new Set(['enclose']),
  )
})

test.each([
  ['refused', (id: string) => decideRefusal(id, print, { ...none, refusalRate: 0.1 })],
  ['returned', (id: string) => decideReturn(id, print, { ...none, returnRate: 0.1 })],
  [
    'spoiled',
    (documentId: string) =>
      decideOutcome({ ...first, documentId }, print, { ...none, spoilRate: 0.1 }).kind === 'spoil',
  ],
])('a tenth is %s, and the same tenth each time', (_what, decide) => {
  const chosen = ids.filter(decide)

  expect(chosen.length).toBeGreaterThan(900)
  expect(chosen.length).toBeLessThan(1_100)
  expect(ids.filter(decide)).toEqual(chosen)
})

test('another seed chooses others', () => {
  const chosen = (seed: string) =>
    ids.filter((id) => decideRefusal(id, print, { ...none, seed, refusalRate: 0.1 }))

  expect(chosen('one')).not.toEqual(chosen('other'))
})

test.each([
  [1, { outcome: 'spoil', ...smudged }, { kind: 'spoil', ...smudged }],
  [2, { outcome: 'spoil', ...smudged }, { kind: 'enclose' }],
  [2, { outcome: 'fail', ...smudged }, { kind: 'fail', ...smudged }],
  [1, { outcome: 'hold' }, { kind: 'enclose' }],
  [1, { outcome: 'return', reasonCode: 'R01' }, { kind: 'enclose' }],
] as const)('attempt %i under the order %o: %o', (attempt, order, fate) => {
  const unlucky = { ...none, failRate: 1, spoilRate: 1, divertRate: 1 }

  expect(decideOutcome({ ...first, attempt }, order, unlucky)).toEqual(fate)
})

test('an order takes precedence over chance with refusals and returns as well', () => {
  const unlucky = { ...none, refusalRate: 1, returnRate: 1 }

  expect(decideRefusal('D1', { outcome: 'refuse', ...smudged }, none)).toEqual(smudged)
  expect(decideRefusal('D1', { outcome: 'hold' }, unlucky)).toBeUndefined()
  expect(decideReturn('D1', { outcome: 'return', reasonCode: 'R09' }, none)).toBe('R09')
  expect(decideReturn('D1', { outcome: 'spoil', ...smudged }, unlucky)).toBeUndefined()
})

test('after three spoiled attempts one succeeds, counted from the attempt of the manifest', () => {
  const kinds = [4, 5, 6, 7].map(
    (attempt) =>
      decideOutcome({ documentId: 'D1', attempt, firstAttempt: 4 }, print, {
        ...none,
        spoilRate: 1,
      }).kind,
  )

  expect(kinds).toEqual(['spoil', 'spoil', 'spoil', 'enclose'])
})

test('a letter comes back for one of the ten reasons', () => {
  const reasons = ids.map((id) => decideReturn(id, print, { ...none, returnRate: 1 }))

  expect([...new Set(reasons)].toSorted()).toEqual([
    ...['R01', 'R02', 'R03', 'R04', 'R05', 'R06', 'R07', 'R08', 'R09', 'R10'],
  ])
})
