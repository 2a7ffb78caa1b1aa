import type { ObjectStore } from '@despatch/object-store/object-store'
import { postponeStep } from '@despatch/store/print-job/steps'
import { aDatabase } from '@despatch/testing/a-database'
import { takeLetters } from '@despatch/testing/take-letters'
import { beforeEach, expect, test } from 'vitest'
import type { DependencyWatch } from '../src/watch/dependency-watch.ts'
import { createSweep } from '../src/work/sweep.ts'
import { aBatch, saveLetters } from './a-worker.ts'
import { nothingAway } from './nothing-away.ts'

let database: Awaited<ReturnType<typeof aDatabase>>
beforeEach(async () => {
  database = await aDatabase()
  return () => database.close()
})

const somePrintJobs = (count: number) => saveLetters(database, count)

const objects: Pick<ObjectStore, 'removeTogether' | 'listWithTimes'> = {
  removeTogether: async () => [],
  listWithTimes: async () => [],
}

/** A sweep of a process of its own, with a clock that the test moves. */
function aSweep(watch?: { isUp: boolean; isHalfOpen?: boolean }) {
  const state = { nowMs: 0, nudges: 0, found: 0 }
  const dependency = watch && {
    dependency: 'object-store',
    isUp: () => watch.isUp,
    isHalfOpen: () => watch.isHalfOpen ?? false,
  }
  const pass = createSweep({
    db: database.db,
    objects,
    uploadBytesMax: 1000,
    clock: () => state.nowMs,
    outages: { ...nothingAway, watches: dependency ? [dependency as DependencyWatch] : [] },
    nudgeScheduler: () => {
      state.nudges += 1
    },
    onFound: (what, count) => {
      if (what === 'step') state.found += count
    },
  })
  return { state, pass }
}

const waitingIn = async (lane: string) => {
  const { rows } = await database.pool.query<{ key: string }>(
    'select subject as key from letter_waiting where lane = $1 order by seq',
    [lane],
  )
  return rows.map(({ key }) => key)
}
const timePasses = () =>
  database.pool.query(`update print_job set updated_at = updated_at - interval '61 seconds'`)

test('a failed recovery does not prevent other work, and is not repeated at once', async () => {
  const [waiting] = (await somePrintJobs(2)) as [string, string]
  const [step] = await takeLetters(database.db, [waiting])
  await postponeStep(database.db, step!, 150, { waitsFor: 'object-store' })
  await database.pool.query('delete from letter_waiting')
  await timePasses()
  await database.pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'too slow'; end $$;
     create trigger refuse before insert on letter_waiting for each row when (new.subject <> '${waiting}')
     execute function refuse()`,
  )
  const sweep = aSweep({ isUp: true })

  await expect(sweep.pass()).rejects.toThrow('too slow')
  expect(await waitingIn('plain')).toEqual([waiting])
  expect(await sweep.pass()).toBe('idle')

  await database.pool.query('drop trigger refuse on letter_waiting')
  sweep.state.nowMs += 3_600_000
  await sweep.pass()
  expect(await waitingIn('plain')).toHaveLength(2)
})

test('a pass that wakes no letter does not wake the scheduler, even with watched dependencies', async () => {
  await somePrintJobs(1)
  const sweep = aSweep({ isUp: true })

  await sweep.pass()

  expect(sweep.state).toMatchObject({ nudges: 0, found: 0 })
})

test.each([
  { state: 'away', watch: { isUp: false }, woken: 0, next: 'idle' },
  { state: 'on trial', watch: { isUp: true, isHalfOpen: true }, woken: 10, next: 'idle' },
  { state: 'up', watch: { isUp: true }, woken: 15, next: 'again' },
])(
  'with a dependency that is $state, $woken of the letters that wait for it are woken',
  async (given) => {
    const keys = await somePrintJobs(16)
    await aBatch(database.db)
    const steps = await takeLetters(database.db, keys)
    for (const [place, step] of steps.entries()) {
      const waitsFor = place === 0 ? 'database' : 'object-store'
      await postponeStep(database.db, step, 120, { waitsFor })
    }
    const sweep = aSweep(given.watch)

    expect(await sweep.pass()).toBe(given.next)

    expect((await waitingIn('plain')).length).toBe(given.woken)
    expect(sweep.state).toMatchObject({ nudges: given.woken > 0 ? 1 : 0, found: 0 })
  },
)

test('letters that lost their place are found by the first pass, and then hourly', async () => {
  const [early, late] = (await somePrintJobs(2)) as [string, string]
  const lose = (key: string) =>
    database.pool.query('delete from letter_waiting where subject = $1', [key])
  await timePasses()
  await lose(early)
  const sweep = aSweep()
  await sweep.pass()
  expect(await waitingIn('plain')).toEqual([late, early])

  await lose(late)
  sweep.state.nowMs = 59 * 60_000
  await sweep.pass()
  expect(await waitingIn('plain')).toEqual([early])
  sweep.state.nowMs = 60 * 60_000
  await sweep.pass()

  expect(await waitingIn('plain')).toEqual([early, late])
  expect(sweep.state).toMatchObject({ nudges: 2, found: 2 })
})

test('letters beyond the limit of a pass are woken in the next pass at once', async () => {
  await somePrintJobs(501)
  await database.pool.query('delete from letter_waiting')
  await timePasses()
  const sweep = aSweep()

  expect(await sweep.pass()).toBe('again')
  expect(await sweep.pass()).toBe('idle')

  expect((await waitingIn('plain')).length).toBe(501)
})
