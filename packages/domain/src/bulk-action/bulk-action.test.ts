import { describe, expect, test } from 'vitest'
import {
  type BulkActionFacts,
  type BulkActionKind,
  type BulkActionState,
  type BulkItemFacts,
  bulkActionState,
  type Confirmation,
  type ConfirmDecision,
  decideConfirmation,
  decideStop,
  needsSecondPerson,
  reasonInTimeline,
  type StopDecision,
  whyNotNow,
} from './bulk-action.ts'

const plannedAt = new Date('2026-11-20T09:00:00Z')
const now = new Date('2026-11-20T10:00:00Z')
const nextDay = new Date('2026-11-21T09:00:00Z')

const planned: BulkActionFacts = {
  state: 'PLANNED',
  plannedAt,
  plannedBy: 'anna',
  needsSecondPerson: false,
  digest: 'aa',
  printJobCount: 2,
}
const byAnna: Confirmation = { confirmedBy: 'anna', digest: 'aa', printJobCount: 2 }
const byBen: Confirmation = { ...byAnna, confirmedBy: 'ben' }
const forTwo = { needsSecondPerson: true }
const conflict = (whyNot: string) => ({ kind: 'conflict' as const, whyNot })

test.each([
  [1, 0, true],
  [1, 1, false],
  [100, 100, false],
  [101, 100, true],
])('%d print jobs require a second person above %d: %s', (printJobCount, above, needed) => {
  expect(needsSecondPerson(printJobCount, above)).toBe(needed)
})

test.each<[BulkActionFacts['state'], Date, BulkActionState]>([
  ['PLANNED', now, 'PLANNED'],
  ['PLANNED', new Date('2026-11-21T08:59:59.999Z'), 'PLANNED'],
  ['PLANNED', nextDay, 'EXPIRED'],
  ['RUNNING', nextDay, 'RUNNING'],
  ['STOPPED', nextDay, 'STOPPED'],
  ['ENDED', nextDay, 'ENDED'],
])('a bulk action that is %s at %o is shown as %s', (state, at, told) => {
  expect(bulkActionState({ state, plannedAt }, at)).toBe(told)
})

describe('a confirmation by or of', () => {
  test.each<[string, Partial<BulkActionFacts>, Confirmation, Date, ConfirmDecision]>([
    ['the planner', {}, byAnna, now, { kind: 'confirm' }],
    ['somebody else', {}, byBen, now, { kind: 'confirm' }],
    ['the planner of one for two', forTwo, byAnna, now, { kind: 'own-plan' }],
    ['a second person', forTwo, byBen, now, { kind: 'confirm' }],
    ['once more', { state: 'RUNNING' }, byAnna, now, { kind: 'confirmed-already' }],
    ['after its end', { ...forTwo, state: 'ENDED' }, byBen, now, { kind: 'confirmed-already' }],
    ['stopped', { state: 'STOPPED' }, byAnna, now, conflict('It was stopped.')],
    [
      'too late',
      {},
      byAnna,
      nextDay,
      conflict('It was not confirmed within 24 hours. Plan it again.'),
    ],
    [
      'another count',
      {},
      { ...byAnna, printJobCount: 3 },
      now,
      conflict('The plan has 2 print jobs, not 3.'),
    ],
    [
      'another digest, even while it is running',
      { state: 'RUNNING' },
      { ...byAnna, digest: 'bb' },
      now,
      conflict('The digest belongs to other print jobs or another action.'),
    ],
  ])('%s', (_name, facts, confirmation, at, decision) => {
    expect(decideConfirmation({ ...planned, ...facts }, confirmation, at)).toEqual(decision)
  })
})

test.each<[BulkActionFacts['state'], Date, StopDecision]>([
  ['PLANNED', now, { kind: 'stop' }],
  ['RUNNING', nextDay, { kind: 'stop' }],
  ['STOPPED', now, { kind: 'stopped-already' }],
  ['ENDED', now, conflict('It has ended.')],
  ['PLANNED', nextDay, conflict('It was not confirmed within 24 hours and has no effect.')],
])('a request to stop a bulk action that is %s at %o is decided', (state, at, decision) => {
  expect(decideStop({ state, plannedAt }, at)).toEqual(decision)
})

test.each([
  ['anna', 'asked for (bulk action 7)'],
  ['ben', 'asked for (bulk action 7, confirmed by consumer:ben)'],
])('the timeline names a confirmer other than the planner: %s', (confirmedBy, told) => {
  const action = { id: '7', reason: 'asked for', plannedBy: 'anna', confirmedBy }

  expect(reasonInTimeline(action)).toBe(told)
})

const pending: BulkItemFacts = {
  status: 'PENDING',
  heldBy: null,
  isDeleted: false,
  isHeld: false,
  isParked: false,
  isPurged: false,
}

test.each<[BulkActionKind, Partial<BulkItemFacts>, string | null]>([
  ['hold', {}, null],
  ['hold', { isHeld: true, heldBy: 'contract' }, null],
  ['hold', { isHeld: true, heldBy: 'consumer:1' }, 'An operator already holds it.'],
  ['release', {}, 'It is not held.'],
  ['cancel', { isDeleted: true }, 'It was cancelled.'],
  ['redrive', { isParked: true, status: 'VALIDATING' }, null],
])('decides whether a bulk %s is possible for a print job that is %o', (kind, facts, whyNot) => {
  expect(whyNotNow(kind, { ...pending, ...facts })).toBe(whyNot)
})
