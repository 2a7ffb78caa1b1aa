import { randomUUID } from 'node:crypto'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { insertProvider } from '@despatch/store/access/consumers'
import { aDatabase } from '@despatch/testing/a-database'
import { type Seeder, seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readAttemptsByHalfHour } from '../src/figures/attempts-by-half-hour.ts'
import { readBacklogs, readFlow, readRunsByDeadline } from '../src/figures/live-facts.ts'
import { readTimesToAnswer } from '../src/figures/times-to-answer.ts'
import { readToday } from '../src/figures/today.ts'

const { db, url, openAs } = await shared(aDatabase())
const runs = await shared(somePrintRuns(url))
await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

test('counts received and despatched letters, and attempts of callbacks, by minute, up to the current minute', async () => {
  const now = new Date('2026-03-02T10:00:30.000Z')
  const secondsBefore = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const { printJob } = await seeder(db)
  for (const seconds of [0, 50, 70, 150, 170, 190]) {
    await submit(await printJob(), secondsBefore(seconds))
  }
  await db
    .insertInto('posting')
    .values(
      [10, 100, 200, null].map((seconds) => ({
        id: randomUUID(),
        provider_id: 'north',
        posting_key: randomUUID(),
        request_hash: Buffer.alloc(32),
        carrier: 'Carrier',
        handover_at: now,
        despatch_properties: '{}',
        document_count: 10,
        sheet_count: 10,
        ...(seconds !== null && { confirmed_at: secondsBefore(seconds), confirmed_count: 7 }),
      })),
    )
    .execute()

  const attempts = (subject: string, seconds: number, count: number) =>
    sql`insert into count_change (what, subject, state, count)
      values ('attempt', ${subject}, period_of_submission(${secondsBefore(seconds)}), ${count})`.execute(
      db,
    )
  await attempts('delivered', 0, 1)
  await attempts('delivered', 80, 3)
  await attempts('failed', 150, 2)
  await attempts('failed', 190, 9)

  expect(await readFlow(db, { minutes: 3, now })).toEqual([
    { minutesAgo: 2, came: 2, despatched: 0, delivered: 0, failed: 2 },
    { minutesAgo: 1, came: 1, despatched: 7, delivered: 3, failed: 0 },
    { minutesAgo: 0, came: 2, despatched: 7, delivered: 1, failed: 0 },
  ])
})

test('lists the print runs of each day, by day, those without one last', async () => {
  const overdue = await runs.anOpenRun()
  await db
    .updateTable('print_run')
    .set({ expected_despatch_on: '2026-03-02' })
    .where('batch_number', '=', overdue.batchNumber)
    .execute()

  expect((await readRunsByDeadline(db, 10))[0]).toEqual({
    expectedDespatchDate: '2026-03-02',
    state: 'OPEN',
    runs: 1,
    documents: expect.any(Number),
    isOverdue: true,
  })
  expect(await readRunsByDeadline(db, 0)).toEqual([])
})

test('lists closed print runs of the last seven days, but no older ones', async () => {
  const closed = async (daysAgo: number) => {
    const { batchNumber } = await runs.anOpenRun()
    const at = new Date()
    await sql`
      update print_run set state = 'CLOSED', claimed_at = ${at}, closed_at = ${at}, released_at = ${at}, document_count = 4,
        manifest_digest = '', manifest_version = 1,
        expected_despatch_on = (now() at time zone 'Europe/London')::date - ${daysAgo}::integer
      where batch_number = ${batchNumber}`.execute(db)
  }
  await closed(8)
  await closed(7)
  await closed(0)

  const found = (await readRunsByDeadline(db, 0)).filter(({ state }) => state === 'CLOSED')

  const today = await sql<{ day: string }>`
    select to_char((now() at time zone 'Europe/London')::date - back, 'YYYY-MM-DD') as day
    from unnest(array[7, 0]) as back`.execute(db)
  expect(found).toEqual(
    today.rows.map(({ day }) => ({
      expectedDespatchDate: day,
      state: 'CLOSED',
      runs: 1,
      documents: 4,
      isOverdue: false,
    })),
  )
})

test('sums what came in and went out today, and on the same day a week ago, by London days', async () => {
  const { contractId } = await seeder(db)
  const volume = (day: string, accepted: number, letters: number, rejected: number) =>
    sql`insert into volume_change (contract_id, day, accepted, letters, rejected)
      values (${contractId}, ${day}, ${accepted}, ${letters}, ${rejected})`.execute(db)
  await volume('2031-06-10', 5, 3, 1)
  await volume('2031-06-10', 2, 0, 0)
  await volume('2031-06-09', 99, 99, 99)
  await volume('2031-06-03', 8, 7, 0)

  // half past midnight in London is half past eleven in UTC
  expect(await readToday(db, new Date('2031-06-09T23:30:00Z'))).toEqual({
    date: '2031-06-10',
    soFar: { received: 7, despatched: 3, rejected: 1 },
    weekAgo: { received: 8, despatched: 7, rejected: 0 },
  })
})

test('counts attempts of callbacks by half hour, the one that has begun last', async () => {
  const attempt = (at: string, subject: string, count: number) =>
    sql`insert into count_change (what, subject, state, count)
      values ('attempt', ${subject}, period_of_submission(${at}::timestamptz), ${count})`.execute(
      db,
    )
  await attempt('2031-06-09T10:40:00Z', 'delivered', 9)
  await attempt('2031-06-09T10:59:59Z', 'delivered', 8)
  await attempt('2031-06-09T11:00:00Z', 'delivered', 1)
  await attempt('2031-06-10T10:29:59Z', 'failed', 2)
  await attempt('2031-06-10T10:30:00Z', 'failed', 3)
  await attempt('2031-06-10T10:31:00Z', 'delivered', 4)

  const { from, delivered, failed } = await readAttemptsByHalfHour(
    db,
    new Date('2031-06-10T10:31:30Z'),
  )

  expect(from).toEqual(new Date('2031-06-09T11:00:00Z'))
  expect([delivered.length, failed.length]).toEqual([48, 48])
  expect([delivered[0], delivered.at(-1), failed.at(-2), failed.at(-1)]).toEqual([1, 4, 2, 3])
  expect(delivered.slice(1, -1).every((count) => count === 0)).toBe(true)
})

test('estimates the time to answer by half hour and of the whole day, with the login of the console', async () => {
  const answers = (at: string, boundMs: number, count: number) =>
    sql`insert into count_change (what, subject, state, count)
      values ('time_to_answer', ${boundMs}, half_hour_of(${at}::timestamptz), ${count})`.execute(db)
  await answers('2031-06-11T10:59:59Z', 15_000, 99)
  await answers('2031-06-11T11:00:00Z', 100, 94)
  await answers('2031-06-11T11:29:59Z', 10_000, 6)
  await answers('2031-06-12T10:30:00Z', 100, 10)
  await answers('2031-06-12T10:31:00Z', 100, 10)

  const read = await readTimesToAnswer(openAs('ops-console').db, new Date('2031-06-12T10:31:30Z'))

  expect(read).toMatchObject({ from: new Date('2031-06-11T11:00:00Z'), p50Ms: 83, p95Ms: 83 })
  const { halfHours } = read
  expect(halfHours).toHaveLength(48)
  expect([halfHours[0], halfHours.at(-1)]).toEqual([
    { p50Ms: 83, p95Ms: 8_247 },
    { p50Ms: 83, p95Ms: 83 },
  ])
  expect(halfHours.slice(1, -1).every(({ p50Ms, p95Ms }) => p50Ms === null && p95Ms === null)).toBe(
    true,
  )
})

test('lists the consumers with the most letters before production first', async () => {
  const [few, many, ended] = [await seeder(db), await seeder(db), await seeder(db)]
  const count = ({ contractId }: Seeder, state: PrintJobStatus, count: number) =>
    sql`insert into count_change (what, subject, state, count)
      values ('print_job', ${contractId}, ${state}, ${count})`.execute(db)
  await count(few, 'PENDING', 1)
  await count(few, 'PRODUCTION', 4)
  await count(many, 'QUARANTINE', 3)
  await count(many, 'QUARANTINE', -1)
  await count(many, 'PENDING', 3)
  await count(ended, 'DESPATCHED', 9)

  const backlogs = await readBacklogs(db, 100)

  const ids = [few, many, ended].map(({ consumerId }) => consumerId)
  const consumerName = expect.any(String)
  expect(backlogs.filter(({ consumerId }) => ids.includes(consumerId))).toEqual([
    { consumerId: many.consumerId, consumerName, beforeProduction: 5, inProduction: 0 },
    { consumerId: few.consumerId, consumerName, beforeProduction: 1, inProduction: 4 },
  ])
  expect(await readBacklogs(db, 1)).toHaveLength(1)
})

function submit(print_job_key: string, at: Date) {
  const submission = { transition: 'submit', status: 'QUARANTINE', actor: 'consumer' } as const
  return db
    .insertInto('print_job_event')
    .values({ print_job_key, sequence: 1, at, ...submission })
    .execute()
}
