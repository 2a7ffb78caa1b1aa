import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { eventually } from '@despatch/testing/eventually'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const reason = 'the object store is back'

const administration = await shared(anAdministration())
const consumer = await insertConsumer(administration.db)
beforeEach(() => administration.pool.query('update print_job set parked_at = null'))

const { asOperator: as } = administration
const count = () => as('GET', '/parked-print-jobs')
const redrive = () => as('POST', '/parked-print-jobs/redrive', { reason })

/** Keeps a letter locked by another transaction until it ends, or until the end of the test. */
async function lock(key: string | undefined) {
  const writer = await administration.pool.connect()
  onTestFinished(() => writer.release(true))
  await writer.query('begin')
  await writer.query('select from print_job where key = $1 for update', [key])
  const { rows } = await writer.query('select pg_backend_pid() as pid')
  return {
    end: () => writer.query('commit'),
    isAwaited: async () => {
      const { rowCount } = await administration.pool.query(
        'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))',
        [rows[0].pid],
      )
      return rowCount !== 0
    },
  }
}

/** Inserts letters that are parked after a fault of this class. */
async function park(letters: number, failure: string): Promise<string[]> {
  const submissions = Array.from({ length: letters }, () => aSubmission(consumer))
  await saveSubmissions(administration.pool, submissions)
  const keys = submissions.map(({ key }) => key)
  await administration.pool.query('delete from letter_waiting where subject = any ($1::uuid[])', [
    keys,
  ])
  await administration.pool.query(
    `update print_job set parked_at = now(), step_failure = $2, step_failures = 10
     where key = any ($1::uuid[])`,
    [keys, failure],
  )
  return keys
}

test('GET /parked-print-jobs: 200, counts print jobs parked by an outage by class, and the other parked ones', async () => {
  await park(3, 'ECONNREFUSED')
  await park(2, 'TypeError')
  await park(1, '57P01')

  expect((await count()).body).toEqual({
    count: 4,
    failures: [
      { failure: 'ECONNREFUSED', count: 3, isOutage: true },
      { failure: 'TypeError', count: 2, isOutage: false },
      { failure: '57P01', count: 1, isOutage: true },
    ],
  })
})

describe('POST /parked-print-jobs/redrive', () => {
  test('200: redrives more than a thousand at once, spread over time, and leaves other faults parked', async () => {
    const keys = await park(1_201, 'TimeoutError')
    const [other] = await park(1, 'TypeError')

    const { status, body } = await redrive()

    expect({ status, body }).toEqual({ status: 200, body: { redriven: 1_201, left: 0 } })
    const { rows } = await administration.pool.query(
      `select count(*) as letters, max(due_at) - min(due_at) > interval '7 seconds' as "isSpread"
       from letter_later join print_job job on job.key = letter_later.subject
       where lane = 'plain' and parked_at is null and step_failures = 0 and key = any ($1::uuid[])`,
      [keys],
    )
    expect(rows).toEqual([{ letters: 1_201, isSpread: true }])
    expect((await count()).body).toMatchObject({ count: 0, failures: [{ failure: 'TypeError' }] })
    expect((await as('GET', `/print-jobs/${other}`)).body).toHaveProperty('parkedAt')
  })

  test('each timeline and the audit log have the actor and the reason of the redrive', async () => {
    const [key] = await park(1, 'NoSuchBucket')

    await redrive()

    const actor = administration.actorOf('operator')
    const { body } = await as('GET', `/print-jobs/${key}`)
    expect(body.events.at(-1)).toMatchObject({ transition: 'redrive', actor, reason })
    const { consumerId } = consumer
    expect(await administration.audited(`about=${key}`)).toMatchObject([
      {
        actor,
        action: 'print-job.redriven',
        consumerId,
        detail: { reason, failure: 'NoSuchBucket' },
      },
    ])
  })

  test('two concurrent requests redrive each letter once, and a repetition does nothing', async () => {
    const keys = await park(800, 'ECONNRESET')

    const [one, another] = await Promise.all([redrive(), redrive()])
    const again = await redrive()

    expect(one.body.redriven + another.body.redriven).toBe(800)
    expect(again.body).toEqual({ redriven: 0, left: 0 })
    const { rows } = await administration.pool.query(
      `select count(*) as notes from print_job_event where transition = 'redrive' and print_job_key = any ($1::uuid[])`,
      [keys],
    )
    expect(rows).toEqual([{ notes: 800 }])
  })

  test('waits for letters that are locked: one that stays locked is left, and those after it are redriven', async () => {
    const [first] = await park(1, 'ECONNRESET')
    const [second] = await park(2, 'ECONNRESET')
    await lock(first)
    const ends = await lock(second)

    const answer = redrive()
    await eventually(ends.isAwaited, { message: 'the redrive waits for the second' })
    await ends.end()

    expect((await answer).body).toEqual({ redriven: 2, left: 1 })
  })
})
