import { expect, test } from 'vitest'
import { checkChanges, type Rule } from '../../faults/checks/check-changes.ts'
import type { Change, Work } from '../../faults/facts/changes.ts'

const work = (epoch: number, status: string, leaseUntil: number | null = null): Work => ({
  epoch,
  status,
  leaseUntil,
})

type Step = [writer: string, began: number, before: Work, after: Work]

const track = (kind: Change['kind'], key: string, ...steps: Step[]): Change[] =>
  steps.map(([writer, began, before, after]) => ({
    kind,
    key,
    writer,
    began,
    serverBegan: 0,
    before,
    after,
  }))

/**
 * One worker dies with a letter, and another takes the letter after the lease of the batch has expired. A callback is
 * delivered at its second attempt.
 */
function aGoodRecord(): Change[] {
  return [
    ...track(
      'print_job',
      'letter',
      ['one', 1_000, work(0, 'QUARANTINE'), work(0, 'QUARANTINE', 3_000)],
      // the sweep of another process gives the batch up
      ['two', 6_000, work(0, 'QUARANTINE'), work(1, 'QUARANTINE')],
      ['two', 6_100, work(1, 'QUARANTINE'), work(1, 'QUARANTINE', 8_100)],
      ['two', 6_200, work(1, 'QUARANTINE'), work(1, 'VALIDATING')],
      // it is in two batches: both workers may move it, and the first one does
      ['one', 6_300, work(1, 'VALIDATING'), work(1, 'VALIDATING', 8_300)],
      // after the lease has expired, but no other worker has taken it
      ['one', 9_000, work(1, 'VALIDATING'), work(2, 'PENDING')],
      ['fulfilment', 9_900, work(2, 'PENDING'), work(3, 'PRODUCTION')],
      ['fulfilment', 9_950, work(3, 'PRODUCTION'), work(4, 'DESPATCHED')],
    ),
    ...track(
      'letter_batch',
      'batch',
      ['one', 1_000, work(1, 'letters'), work(2, 'letters', 3_000)],
      // renews its lease
      ['one', 2_000, work(2, 'letters', 3_000), work(2, 'letters', 4_000)],
      ['two', 6_000, work(2, 'letters', 4_000), work(2, 'letters')],
    ),
    ...track(
      'callback',
      'call',
      ['d-1', 1_000, work(0, 'DUE'), work(0, 'DUE', 21_000)],
      // it joins the next batch of the process
      ['d-1', 1_100, work(0, 'DUE'), work(0, 'DUE', 21_100)],
      ['d-2', 23_500, work(0, 'DUE'), work(1, 'DUE')],
      ['d-2', 23_600, work(1, 'DUE'), work(1, 'DUE', 43_600)],
      ['d-2', 24_000, work(1, 'DUE'), work(2, 'DELIVERED')],
    ),
    ...track(
      'callback',
      'call that was given back',
      ['d-1', 1_000, work(0, 'DUE'), work(0, 'DUE', 21_000)],
      ['d-1', 2_000, work(0, 'DUE', 21_000), work(0, 'DUE')],
      ['d-2', 2_100, work(0, 'DUE'), work(0, 'DUE', 22_100)],
      ['d-2', 2_200, work(0, 'DUE'), work(1, 'DELIVERED')],
    ),
  ]
}

test('a record of work that continues after an ended lease has no findings', () => {
  expect(checkChanges(aGoodRecord())).toEqual([])
})

const letter = (...steps: Step[]) => track('print_job', 'a', ...steps)
const batch = (...steps: Step[]) => track('letter_batch', 'a', ...steps)
const callback = (...steps: Step[]) => track('callback', 'a', ...steps)
const overtaken = letter(
  ['one', 1_000, work(0, 'VALIDATING'), work(0, 'VALIDATING', 3_000)],
  ['two', 4_000, work(0, 'VALIDATING'), work(1, 'VALIDATING')],
  ['two', 5_000, work(1, 'VALIDATING'), work(1, 'VALIDATING', 6_000)],
  ['one', 7_000, work(1, 'VALIDATING'), work(2, 'PENDING')],
)

/** For each rule, what breaks it. */
const planted: Record<Rule, Record<string, Change[]>> = {
  'an epoch rises by one': {
    'an epoch that falls': letter(['one', 1, work(4, 'PENDING'), work(3, 'PENDING')]),
    'an epoch that is left out': letter(['one', 1, work(4, 'PENDING'), work(6, 'PENDING')]),
  },
  'work is taken when no lease runs': {
    'a batch that is taken while another has it': batch(
      ['one', 1_000, work(0, 'letters'), work(1, 'letters', 3_000)],
      ['two', 2_999, work(1, 'letters', 3_000), work(2, 'letters', 5_000)],
    ),
    'a callback that two processes take under one epoch': callback(
      ['one', 1_000, work(0, 'DUE'), work(0, 'DUE', 3_000)],
      ['two', 4_000, work(0, 'DUE'), work(0, 'DUE', 6_000)],
    ),
    'a callback that is given back by a process that does not have it': callback(
      ['one', 1_000, work(0, 'DUE'), work(0, 'DUE', 21_000)],
      ['two', 1_500, work(0, 'DUE', 21_000), work(0, 'DUE')],
      ['two', 2_000, work(0, 'DUE'), work(0, 'DUE', 22_000)],
    ),
  },
  'a lease is changed by its holder, or after its end': {
    'a lease that another extends': batch(
      ['one', 1_000, work(0, 'letters'), work(1, 'letters', 3_000)],
      ['two', 2_000, work(1, 'letters', 3_000), work(1, 'letters', 5_000)],
    ),
    'a lease that another ends': batch(
      ['one', 1_000, work(0, 'letters'), work(1, 'letters', 3_000)],
      ['two', 2_000, work(1, 'letters', 3_000), work(1, 'letters')],
    ),
  },
  'a status moves under the epoch of who moves it': {
    'a callback that is recorded by a process that has given it back': callback(
      ['one', 1_000, work(0, 'DUE'), work(0, 'DUE', 21_000)],
      ['one', 2_000, work(0, 'DUE', 21_000), work(0, 'DUE')],
      ['one', 2_100, work(0, 'DUE'), work(1, 'DELIVERED')],
    ),
    'a letter that is moved by a worker whose step was taken over': overtaken,
    'a callback that is recorded by a process that has lost it': callback(
      ['one', 1_000, work(0, 'DUE'), work(0, 'DUE', 3_000)],
      ['two', 4_000, work(0, 'DUE'), work(1, 'DUE')],
      ['one', 4_100, work(1, 'DUE'), work(2, 'DELIVERED')],
    ),
  },
  'a status is entered once': {
    'a letter that becomes PENDING twice': letter(
      ['one', 1_000, work(1, 'PRODUCTION'), work(2, 'PENDING')],
      ['one', 1_100, work(2, 'PENDING'), work(3, 'PRODUCTION')],
      ['one', 1_200, work(3, 'PRODUCTION'), work(4, 'PENDING')],
    ),
  },
}

const afterCrash = (changes: readonly Change[]) =>
  changes.map((change) => ({ ...change, serverBegan: 500 }))

test('a worker may move a letter that it took in a commit which a crash has lost', () => {
  const unrecorded = letter(['one', 2_000, work(0, 'VALIDATING'), work(1, 'PENDING')])

  expect(checkChanges([...aGoodRecord(), ...afterCrash(unrecorded)])).toEqual([])
  expect(checkChanges([...aGoodRecord(), ...unrecorded])).toHaveLength(1)
})

test('a worker may take a letter again in a commit which a crash has lost', () => {
  const again = letter(
    ['one', 1_000, work(0, 'VALIDATING'), work(0, 'VALIDATING', 3_000)],
    ['one', 1_500, work(0, 'VALIDATING'), work(1, 'VALIDATING')],
    ['one', 2_000, work(1, 'VALIDATING'), work(2, 'PENDING')],
  )

  expect(checkChanges([...aGoodRecord(), ...afterCrash(again)])).toEqual([])
  expect(checkChanges([...aGoodRecord(), ...again])).toHaveLength(1)
})

test('a worker whose step was taken over is found after a crash too', () => {
  expect(checkChanges([...aGoodRecord(), ...afterCrash(overtaken)])).toHaveLength(1)
})

const rows = Object.entries(planted).flatMap(([rule, faults]) =>
  Object.entries(faults).map(([fault, changes]) => ({ rule, fault, changes })),
)

test.each(rows)('finds $fault', ({ rule, changes }) => {
  const rules = checkChanges([...aGoodRecord(), ...changes]).map((finding) => finding.rule)

  expect(new Set(rules)).toEqual(new Set([rule]))
})
