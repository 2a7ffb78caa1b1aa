import { aDatabase } from '@despatch/testing/a-database'
import { secondsAgo, seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listCallbackTurns } from '../src/figures/callback-turns.ts'

const { db } = await shared(aDatabase())
const seed = await seeder(db)

/** Lets a process take callbacks for an origin, of which some have ended since. */
async function aTurn(
  origin: string,
  takenAt: Date,
  { callbacks, ended }: { callbacks: number; ended: number },
) {
  const ids: string[] = []
  for (let index = 0; index < callbacks; index++) {
    ids.push(await seed.callback({ print_job_key: await seed.printJob(), origin }))
  }
  await sql`
    insert into callback_batch (id, origin, subjects, versions, calls_max, taken_at, leased_until)
    values (gen_random_uuid(), ${origin}, ${ids}, ${ids.map(() => 0)}, 2, ${takenAt}, now())`.execute(
    db,
  )
  for (const id of ids.slice(0, ended)) {
    await db.updateTable('callback').set({ attempt_epoch: 1 }).where('id', '=', id).execute()
  }
}

test('lists the turns that were taken first, with what has ended of them', async () => {
  const turn = { turnId: expect.any(String), callsMax: 2 }
  expect(await listCallbackTurns(db, 2)).toEqual([])
  const [first, second] = [secondsAgo(3), secondsAgo(2)]
  await aTurn('https://second', second, { callbacks: 2, ended: 0 })
  await aTurn('https://first', first, { callbacks: 4, ended: 3 })
  await aTurn('https://third', secondsAgo(1), { callbacks: 1, ended: 0 })

  expect(await listCallbackTurns(db, 2)).toEqual([
    { ...turn, origin: 'https://first', callbacks: 4, ended: 3, takenAt: first },
    { ...turn, origin: 'https://second', callbacks: 2, ended: 0, takenAt: second },
  ])
})
