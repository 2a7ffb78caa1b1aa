import { randomUUID } from 'node:crypto'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/database.ts'
import { createGroupCommit } from '../src/group-commit.ts'
import { type Submission, saveSubmissions } from '../src/print-job/submissions.ts'
import { insertUpload } from '../src/print-job/uploads.ts'
import { aFile } from './some-work.ts'

const direct = await shared(aDatabase({ connectionsMax: 3 }))
const proxy = await shared(startTcpProxy({ port: Number(new URL(direct.url).port) }))
const { pool } = await shared(
  openDatabase(proxy.through(direct.url), { name: 'lost', connectionsMax: 4 }),
)
const consumer = await insertConsumer(direct.db)

const loseSave = () =>
  proxy.loseReply({ request: (bytes) => bytes.includes('request_fingerprint') })

/** Counts what is stored of these submissions: each print job, its first event and its place in the waiting work. */
async function countKept(submissions: readonly Submission[]) {
  const { rows } = await direct.pool.query(
    `select count(*) as jobs, coalesce(sum((
        select count(*) from print_job_event where print_job_key = key)), 0)::integer as events, coalesce(sum((
        select count(*) from letter_waiting where subject = key)), 0)::integer as places
     from print_job where consumer_id = $1 and id = any ($2)`,
    [consumer.consumerId, submissions.map(({ id }) => id)],
  )
  return rows[0]
}

async function withUpload(): Promise<Submission> {
  const uploadId = randomUUID()
  const { consumerId } = consumer
  const upload = { id: uploadId, consumerId, expiresInSeconds: 600, openMax: 100 }
  await insertUpload(direct.db, upload)
  return aSubmission(consumer, { files: [{ fileId: 'file', source: 'upload', uploadId }] })
}

test.each([
  ['one', () => [aSubmission(consumer)]],
  ['one with an Idempotency-Key', () => [aSubmission(consumer, { idempotencyKey: randomUUID() })]],
  ['one with a file', () => [aSubmission(consumer, { files: [aFile] })]],
  ['one with an upload', async () => [await withUpload()]],
  ['three together', () => [1, 2, 3].map(() => aSubmission(consumer))],
])(
  '%s: a submission whose reply is lost is saved once, and answered as saved',
  async (_what, make) => {
    const submissions = await make()
    const save = createGroupCommit({
      itemsMax: 64,
      commitsMax: 2,
      commit: (group: readonly Submission[]) => saveSubmissions(pool, group),
    })

    const lost = loseSave()
    const outcomes = await Promise.all(submissions.map(save))
    await lost

    expect(outcomes).toEqual(submissions.map(({ id }) => ({ kind: 'saved', id })))
    const count = submissions.length
    expect(await countKept(submissions)).toEqual({ jobs: count, events: count, places: count })
  },
)

test('in a group with a lost reply, a previously taken id stays a conflict', async () => {
  const earlier = aSubmission(consumer)
  await saveSubmissions(direct.pool, [earlier])
  const submissions = [aSubmission(consumer), aSubmission(consumer, { id: earlier.id })]

  const lost = loseSave()
  const outcomes = await saveSubmissions(pool, submissions)
  await lost

  expect(outcomes).toEqual([
    { kind: 'saved', id: submissions[0]!.id },
    { kind: 'id-taken', sameContent: true },
  ])
})

test('waits for a statement that still runs on the lost connection', async () => {
  const submission = aSubmission(consumer)
  const locker = await direct.pool.connect()
  await locker.query('begin')
  await locker.query('lock table print_job_event in share mode')
  const saved = saveSubmissions(pool, [submission])
  await eventually(() => waiting(1), { message: 'the statement waits' })

  proxy.refuse()
  proxy.resume()
  await eventually(() => waiting(2), { message: 'the statement is sent again' })
  await locker.query('commit')
  locker.release()

  expect(await saved).toEqual([{ kind: 'saved', id: submission.id }])
  expect(await countKept([submission])).toEqual({ jobs: 1, events: 1, places: 1 })
})

async function waiting(sessions: number): Promise<boolean> {
  const { rowCount } = await direct.pool.query(
    `select from pg_stat_activity
     where datname = current_database() and application_name = 'lost' and wait_event_type = 'Lock'`,
  )
  return rowCount === sessions
}
