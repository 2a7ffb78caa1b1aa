import { aDatabase } from '@despatch/testing/a-database'
import { seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readFigures } from '../src/figures/read-figures.ts'

const { db, openAs } = await shared(aDatabase())
const { consumerId } = await seeder(db)

async function plan(
  id: string,
  hoursAgo: number,
  { needsSecondPerson = true, state = 'PLANNED' } = {},
): Promise<void> {
  const isStopped = state === 'STOPPED'
  await sql`
    insert into bulk_action (id, action, reason, state, digest, print_job_count, needs_second_person, planned_by, planned_at,
      stopped_by, stopped_at, ended_at)
    values (${id}, 'hold', 'wrong enclosure', ${state}, ${'0'.repeat(64)}, 200, ${needsSecondPerson}, ${consumerId},
      now() - ${hoursAgo}::double precision * interval '1 hour', ${isStopped ? consumerId : null}::uuid,
      ${isStopped ? new Date() : null}::timestamptz, ${isStopped ? new Date() : null}::timestamptz)`.execute(
    db,
  )
}

const id = (number: number) => `01890000-0000-7000-8000-00000000000${number}`

test('counts the plans that another person must confirm, with the login of the console', async () => {
  const console = openAs('ops-console').db
  expect((await readFigures(console)).bulkActions).toEqual({
    count: 0,
    oldest: null,
    oldestSeconds: null,
  })
  await plan(id(1), 24.1)
  await plan(id(2), 2, { needsSecondPerson: false })
  await plan(id(3), 2, { state: 'STOPPED' })
  await plan(id(4), 1.5)
  await plan(id(5), 1)

  const { bulkActions } = await readFigures(console)

  expect(bulkActions).toMatchObject({ count: 2, oldest: id(4) })
  expect(bulkActions.oldestSeconds).toBeGreaterThanOrEqual(5_400)
  expect(bulkActions.oldestSeconds).toBeLessThan(6_000)
})
