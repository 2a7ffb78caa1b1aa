import { hash } from 'node:crypto'
import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import type { Db } from '@despatch/store/database'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import { type Submission, saveSubmissions } from '@despatch/store/print-job/submissions'
import { aDatabase } from '@despatch/testing/a-database'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { expireLeases, takeLetters } from '@despatch/testing/take-letters'
import { giveUpBatches } from '@despatch/work/batch-lease'
import { expect, test } from 'vitest'
import { runLetter } from '../src/print-job/run-letter.ts'
import type { Outcome } from '../src/print-job/stage.ts'
import type { Outages } from '../src/watch/outages.ts'
import { type AWorker, accepted, aWorker } from './a-worker.ts'
import { nothingAway } from './nothing-away.ts'

const database = await shared(aDatabase())
const { db, pool } = database
const consumer = await insertConsumer(db, { callbackStatuses: ['VALIDATING', 'PENDING'] })

/** Saves a letter and takes it through its stages. Returns what became of it. */
async function run(
  worker: AWorker,
  {
    signal = new AbortController().signal,
    files = [],
    starts = 1,
  }: { signal?: AbortSignal; files?: Submission['files']; starts?: number } = {},
) {
  const submission = aSubmission(consumer, {
    files,
    callbackParams: {},
    callbackStatuses: ['VALIDATING', 'PENDING', 'REJECTED'],
    callbackDestinationSealed: '00',
    callbackOrigin: 'https://example.com',
  })
  await saveSubmissions(pool, [submission])
  await pool.query('delete from letter_waiting')
  const [step] = await takeLetters(db, [submission.key])
  const end = await runLetter(aWorker(db, worker), { ...step!, starts }, signal)
  return { key: submission.key, end, ...(await stateOf(db, submission.key)) }
}

async function stateOf(on: Db, key: string) {
  const job = await on
    .selectFrom('print_job')
    .leftJoin('letter_later', 'subject', 'key')
    .select(['status', 'step_failures as failures'])
    .select(['letter_later.waits_for as waitsFor', 'letter_later.lane as later'])
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  const { rows: events } = await pool.query<{ transition: string }>(
    'select transition from print_job_event where print_job_key = $1 order by sequence',
    [key],
  )
  const { rows: callbacks } = await pool.query<{ status: string }>(
    'select status from callback where print_job_key = $1 order by sequence',
    [key],
  )
  return {
    job,
    events: events.map(({ transition }) => transition).join(' '),
    callbacks: callbacks.map(({ status }) => status).join(' '),
  }
}

const fails = async (): Promise<Outcome> => {
  throw new Error('a fault')
}

test('a letter without files is accepted in one step, with an event for both statuses', async () => {
  const ran = await run({})

  expect(ran).toMatchObject({
    end: 'advance',
    events: 'submit release accept',
    callbacks: 'VALIDATING PENDING',
    job: { status: 'PENDING', later: null },
  })
})

test('the next stage gets the file content that quarantine has read', async () => {
  let files: unknown
  await run(
    {
      quarantine: async () => ({
        kind: 'advance',
        transition: 'release',
        pins: [{ position: 0, ...pinned }],
        contents: new Map([[0, content]]),
      }),
      validate: async (step) => {
        files = step.files
        return accepted
      },
    },
    withAFile,
  )

  expect(files).toMatchObject([{ fileId: 'scan', ...pinned, pinned: true, content }])
})

const content = Buffer.from('%PDF-1.7')
const pinned = {
  sha256: hash('sha256', content),
  bytes: content.length,
  mediaType: 'application/pdf',
}
const withAFile = { files: [{ fileId: 'scan', source: 'custom-param' as const, ...pinned }] }

/** A worker whose quarantine pins and copies the file of a letter, and how often it was copied. */
function aCopyingWorker(validate: NonNullable<AWorker['validate']>, { isRead = true } = {}) {
  const copies: string[] = []
  const copy = async (from: string) => {
    copies.push(from)
    return 'copied'
  }
  const worker: AWorker = {
    quarantine: async () => ({
      kind: 'advance',
      transition: 'release',
      pins: [{ position: 0, ...pinned, copy: { from: 'upload', to: 'file', etag: '"1"' } }],
      ...(isRead && { contents: new Map([[0, content]]) }),
    }),
    validate,
    context: { effects: { objects: { copy } } as never },
  }
  return { worker, copies }
}

async function isPinned(key: string): Promise<boolean> {
  const { rows } = await pool.query<{ isPinned: boolean }>(
    'select pinned_at is not null as "isPinned" from print_job_file where print_job_key = $1',
    [key],
  )
  return rows[0]!.isPinned
}

const rejected: Outcome = { kind: 'reject', comment: 'No letter' }
const postponed: Outcome = { kind: 'wait', seconds: 30, reason: 'a test' }

test.each<[name: string, outcome: Outcome, end: string, events: string, status: string]>([
  ['accepted', accepted, 'advance', 'submit release accept', 'PENDING'],
  ['rejected', rejected, 'reject', 'submit release reject', 'REJECTED'],
  ['postponed', postponed, 'wait', 'submit release', 'VALIDATING'],
])(
  'a letter with its files in memory is written once it is %s, and its files are pinned',
  async (_name, outcome, end, events, status) => {
    let between: unknown
    const { worker, copies } = aCopyingWorker(async ({ key }) => {
      between = [await stateOf(db, key), await isPinned(key), [...copies]]
      return outcome
    })

    const ran = await run(worker, withAFile)

    expect(between).toMatchObject([{ events: 'submit' }, false, []])
    expect(ran).toMatchObject({ end, events, job: { status } })
    expect(ran.callbacks.split(' ')[0]).toBe('VALIDATING')
    expect([await isPinned(ran.key), copies]).toEqual([true, ['upload']])
  },
)

test('a letter with its files in memory that fails returns to quarantine', async () => {
  const { worker, copies } = aCopyingWorker(fails)

  const ran = await run(worker, withAFile)

  expect(ran).toMatchObject({ end: 'retry', events: 'submit', callbacks: '' })
  expect(ran.job).toMatchObject({ status: 'QUARANTINE', failures: 1, later: 'slow' })
  expect([await isPinned(ran.key), copies]).toEqual([false, []])
})

test.each([
  { name: 'that has been started before', starts: 2, isRead: true },
  { name: 'whose files are too large for memory', starts: 1, isRead: false },
])('a letter $name is released before its validation', async ({ starts, isRead }) => {
  let between: unknown
  const { worker } = aCopyingWorker(
    async ({ key }) => {
      between = [await stateOf(db, key), await isPinned(key)]
      return accepted
    },
    { isRead },
  )

  const ran = await run(worker, { ...withAFile, starts })

  expect(between).toMatchObject([{ events: 'submit release', job: { status: 'VALIDATING' } }, true])
  expect(ran).toMatchObject({ end: 'advance', events: 'submit release accept' })
})

test('nothing is written between the stages of a letter without files', async () => {
  let between: unknown
  await run({
    validate: async ({ key }) => {
      between = await stateOf(db, key)
      return rejected
    },
  })

  expect(between).toMatchObject({ events: 'submit', job: { status: 'QUARANTINE' } })
})

const inValidating = { status: 'VALIDATING' }
const forObjects = { ...inValidating, later: 'plain', waitsFor: 'object-store', failures: 0 }
const isUp: Outages['isUp'] = (dependency) => dependency !== 'object-store'
const judge: Outages['judge'] = async () => ({ dependency: 'object-store', verdict: 'away' })
const lost = new DependencyUnavailable('object-store', { cause: new Error('away') })

test.each<[name: string, worker: AWorker, end: string, events: string, job: object]>([
  [
    'waits',
    { validate: async () => postponed },
    'wait',
    'submit release',
    { ...inValidating, later: 'plain', failures: 0 },
  ],
  [
    'is rejected',
    { validate: async () => rejected },
    'reject',
    'submit release reject',
    { status: 'REJECTED', later: null },
  ],
  [
    'fails',
    { validate: fails },
    'retry',
    'submit release',
    { ...inValidating, later: 'slow', failures: 1 },
  ],
  [
    'finds the object store away',
    { context: { outages: { ...nothingAway, isUp } } },
    'outage',
    'submit release',
    forObjects,
  ],
  [
    'loses the object store',
    { validate: () => Promise.reject(lost), context: { outages: { ...nothingAway, isUp, judge } } },
    'outage',
    'submit release',
    forObjects,
  ],
])('a letter that %s during validation has been released', async (_name, worker, ...expected) => {
  const [end, events, job] = expected

  const ran = await run(worker)

  expect(ran).toMatchObject({ end, events, job })
  expect(ran.callbacks.split(' ')[0]).toBe('VALIDATING')
})

test('a letter that waits in quarantine is not released', async () => {
  const ran = await run({
    quarantine: async () => ({ kind: 'wait', seconds: 30, reason: 'upload outstanding' }),
  })

  expect(ran).toMatchObject({ end: 'wait', events: 'submit', callbacks: '' })
  expect(ran.job).toMatchObject({ status: 'QUARANTINE', later: 'plain' })
})

test.each<[string, () => Promise<Outcome>]>([
  ['accepted', async () => accepted],
  ['rejected', async () => rejected],
  ['postponed', async () => postponed],
  ['failed', fails],
])('a letter that another worker has finished is not %s', async (_name, outcome) => {
  let before: unknown
  const ran = await run({
    validate: async ({ key }) => {
      await expireLeases(db, key)
      await giveUpBatches(db, letterKind)
      const [step] = await takeLetters(db, [key])
      await runLetter(aWorker(db), step!, new AbortController().signal)
      before = await stateOf(db, key)
      return outcome()
    },
  })

  expect(ran.job.status).toBe('PENDING')
  expect(await stateOf(db, ran.key)).toEqual(before)
})

test('a step whose task was taken away is not a failure, and its start still counts', async () => {
  const taken = new AbortController()
  const ran = await run(
    {
      validate: () => {
        taken.abort()
        return fails()
      },
    },
    taken,
  )

  expect(ran).toMatchObject({ end: 'outage', events: 'submit release' })
  expect(ran.job).toMatchObject({ ...inValidating, later: 'slow', failures: 0 })
  const { rows } = await pool.query('select step_starts from print_job where key = $1', [ran.key])
  expect(rows).toEqual([{ step_starts: 1 }])
})

test.each([
  { status: 'VALIDATING', end: 'park', events: 'submit park', failures: 7 },
  { status: 'QUARANTINE', end: 'retry', events: 'submit release', failures: 1 },
])(
  'the eighth failure parks a letter: after seven in $status, one in VALIDATING ends with $end',
  async ({ status, ...expected }) => {
    const submission = aSubmission(consumer)
    await saveSubmissions(pool, [submission])
    await pool.query('update print_job set step_failures = 7, status = $2 where key = $1', [
      submission.key,
      status,
    ])
    const [step] = await takeLetters(db, [submission.key])

    const end = await runLetter(aWorker(db, { validate: fails }), step!, AbortSignal.any([]))

    const { events, job } = await stateOf(db, submission.key)
    expect({ end, events, failures: job.failures }).toEqual(expected)
  },
)
