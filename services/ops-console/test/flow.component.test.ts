import { randomUUID } from 'node:crypto'
import { insertProvider } from '@despatch/store/access/consumers'
import { aDatabase } from '@despatch/testing/a-database'
import { seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { expect, test } from 'vitest'
import { readFlow, readRunsByDeadline } from '../src/live-facts.ts'

const { db, url } = await shared(aDatabase())
const runs = await shared(somePrintRuns(url))
await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

test('counts received and despatched letters by minute, up to the current minute', async () => {
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

  expect(await readFlow(db, { minutes: 3, now })).toEqual([
    { minutesAgo: 2, came: 2, despatched: 0 },
    { minutesAgo: 1, came: 1, despatched: 7 },
    { minutesAgo: 0, came: 2, despatched: 7 },
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

function submit(print_job_key: string, at: Date) {
  const submission = { transition: 'submit', status: 'QUARANTINE', actor: 'consumer' } as const
  return db
    .insertInto('print_job_event')
    .values({ print_job_key, sequence: 1, at, ...submission })
    .execute()
}
