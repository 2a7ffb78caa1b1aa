import { randomUUID } from 'node:crypto'
import { insertProvider } from '@despatch/store/access/consumers'
import { openDatabase } from '@despatch/store/database'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { seeder } from '@despatch/testing/seed-print-job'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFlow, readRunsByDeadline } from '../src/live-facts.ts'

const clone = await cloneDatabase()
const { db, close } = openDatabase(clone.url, { name: 'test', connectionsMax: 4 })
const runs = await somePrintRuns(clone.url)
beforeAll(() => insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] }))
afterAll(async () => {
  await runs.close()
  await close()
  await clone.drop()
})

test('counts received and despatched letters by minute, up to the current minute', async () => {
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

/** A UUID of version 7, which begins with the time. */
function keyOf(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`
}
