import { letterKind } from '@despatch/store/print-job/letter-kind'
import { aDatabase } from '@despatch/testing/a-database'
import { expireLeases } from '@despatch/testing/take-letters'
import { withRoom } from '@despatch/testing/with-room'
import { giveUpBatches, takeBatch } from '@despatch/work/batch-lease'
import { createBatchChooser } from '@despatch/work/choose-batches'
import { formBatches } from '@despatch/work/form-batches'
import { beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../src/print-job/stage.ts'
import { runLetters } from '../src/work/run-letters.ts'
import { aBatchTask, accepted, aWorker, saveLetters } from './a-worker.ts'

let database: Awaited<ReturnType<typeof aDatabase>>
beforeEach(async () => {
  database = await aDatabase({ connectionsMax: 8 })
  return () => database.close()
})

const lockHeld = new AbortController().signal

/** A minute passes, and then the sweep. Returns how many letters it found. */
async function aMinutePasses(): Promise<number> {
  await expireLeases(database.db)
  await database.pool.query(`update letter_later set due_at = now()`)
  return giveUpBatches(database.db, letterKind)
}

test.each<[string, () => Promise<Outcome>]>([
  ['accepts', async () => accepted],
  ['rejects', async () => ({ kind: 'reject', comment: 'No letter' })],
  ['postpones', async () => ({ kind: 'wait', seconds: 30, reason: 'a test' })],
  ['fails', () => Promise.reject(new Error('a fault'))],
])('a frozen worker that %s after another has finished changes nothing', async (...given) => {
  const [, outcome] = given
  const [key] = await saveLetters(database, 1)
  const frozen = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const validate = async () => {
    reached.resolve()
    await frozen.promise
    return outcome()
  }
  const running = runLetters(
    aWorker(database.db, { validate }),
    await aBatchTask(database.db),
    lockHeld,
  )
  await reached.promise

  expect(await aMinutePasses()).toBe(1)
  expect(
    await runLetters(aWorker(database.db), await aBatchTask(database.db, 'slow'), lockHeld),
  ).toBe('1 advanced')
  const before = await everythingOf(key!)
  frozen.resolve()
  await running

  expect(before).toMatchObject({ job: { status: 'PENDING' }, events: { length: 3 } })
  expect(await everythingOf(key!)).toEqual(before)
})

async function everythingOf(key: string) {
  const all = async (table: string, column: string) =>
    (await database.pool.query(`select * from ${table} where ${column} = $1`, [key])).rows
  const [job] = await all('print_job', 'key')
  return {
    job,
    events: await all('print_job_event', 'print_job_key'),
    callbacks: await all('callback', 'print_job_key'),
    waiting: await all('letter_waiting', 'subject'),
    later: await all('letter_later', 'subject'),
  }
}

test('a letter that kills workers is isolated in its batch and parked, and other letters continue', async () => {
  const [killer, ...others] = await saveLetters(database, 5)
  const chooser = createBatchChooser(letterKind)
  const worker = aWorker(database.db, { validate: async () => accepted })
  const batchesOfKiller: string[][] = []

  for (let minute = 0; minute < 20; minute++) {
    const batches = await formBatches(
      database.db,
      withRoom(letterKind, { ordinary: 4, slow: 20 }),
      {
        pausedQueues: [],
        ...chooser,
      },
    )
    for (const { id, epoch } of batches) {
      const { rows } = await database.pool.query<{ keys: string[] }>(
        'select subjects as keys from letter_batch where id = $1',
        [id],
      )
      const { keys } = rows[0]!
      const isDeadly = keys.includes(killer!) && batchesOfKiller.length < 10
      if (keys.includes(killer!)) batchesOfKiller.push(keys)
      // the worker dies once it has taken the batch, or lives
      if (isDeadly) await takeBatch(database.db, letterKind, { id, epoch }, 20)
      else await runLetters(worker, { subject: id, epoch }, lockHeld)
    }
    await aMinutePasses()
  }

  const stateOf = async (key: string) => {
    const { rows } = await database.pool.query(
      `select status, parked_at is not null as "isParked", step_failure as failure from print_job where key = $1`,
      [key],
    )
    return rows[0]
  }
  expect(batchesOfKiller.map((keys) => keys.length)).toEqual([
    5,
    ...Array.from({ length: 10 }, () => 1),
  ])
  expect(await stateOf(killer!)).toEqual({
    status: 'QUARANTINE',
    isParked: true,
    failure: 'WorkerDied',
  })
  for (const key of others) {
    expect(await stateOf(key)).toEqual({ status: 'PENDING', isParked: false, failure: null })
  }
})
