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

test('tells by minute what came and what was despatched, up to the minute that is under way', async () => {
  const now = new Date('2026-03-02T10:00:30.000Z')
  const secondsBefore = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const { printJob } = await seeder(db)
  for (const seconds of [0, 59, 61, 150, 179, 181]) {
    await printJob({ key: keyOf(secondsBefore(seconds)) })
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

test('tells the print runs of each day, the first day first and those without one last', async () => {
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

/** A UUID of version 7, which begins with the time. */
function keyOf(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`
}
