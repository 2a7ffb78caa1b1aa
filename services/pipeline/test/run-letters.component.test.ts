import { letterKind } from '@despatch/store/print-job/letter-kind'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { expireLeases } from '@despatch/testing/take-letters'
import { withRoom } from '@despatch/testing/with-room'
import { giveUpBatches, takeBatch } from '@despatch/work/batch-lease'
import { createBatchChooser } from '@despatch/work/choose-batches'
import { formBatches } from '@despatch/work/form-batches'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Outcome } from '../src/print-job/stage.ts'
import type { Outages } from '../src/watch/outages.ts'
import { createHandBack } from '../src/work/hand-back.ts'
import { runLetters } from '../src/work/run-letters.ts'
import { type AWorker, aBatchTask, accepted, aWorker, saveLetters } from './a-worker.ts'
import { nothingAway } from './nothing-away.ts'

let database: Awaited<ReturnType<typeof aDatabase>>
beforeEach(async () => {
  database = await aDatabase({ connectionsMax: 8 })
  return () => database.close()
})

const lockHeld = new AbortController().signal

const someLetters = (count: number) => saveLetters(database, count)
const aTask = () => aBatchTask(database.db)

/** Works on a batch of all letters that wait. */
async function run(
  worker: AWorker = {},
  { task, lock = lockHeld }: { task?: Awaited<ReturnType<typeof aTask>>; lock?: AbortSignal } = {},
) {
  return runLetters(aWorker(database.db, worker), task ?? (await aTask()), lock)
}

/** What judges each fault in this way. */
const judging = (judge: Outages['judge']) => ({ outages: { ...nothingAway, judge } })

/** What the database says of letters, in the order of the keys. */
async function lettersOf(keys: readonly string[]) {
  const { rows } = await database.pool.query<{ status: string; failures: number; starts: number }>(
    `select status, step_failures as failures, step_starts as starts, step_epoch as epoch,
       parked_at is not null as "isParked", (select string_agg(transition, ' ' order by sequence)
       from print_job_event where print_job_key = key) as events
     from print_job where key = any ($1::uuid[]) order by array_position($1::uuid[], key)`,
    [keys],
  )
  return rows
}

/** When the leases of the batches end. */
async function leases(): Promise<Date[]> {
  const { rows } = await database.pool.query<{ until: Date }>(
    'select leased_until as until from letter_batch where leased_until is not null',
  )
  return rows.map(({ until }) => until)
}

describe('a batch', () => {
  test('is processed, and each of its letters has its own outcome', async () => {
    const [rejected, failing, waiting, ...others] = await someLetters(6)
    const outcomes = new Map<string, () => Outcome>([
      [rejected!, () => ({ kind: 'reject', comment: 'No letter' })],
      [
        failing!,
        () => {
          throw new Error('a fault')
        },
      ],
      [waiting!, () => ({ kind: 'wait', seconds: 30, reason: 'a test' })],
    ])
    const onTaken = vi.fn()
    const validate = async ({ key }: { key: string }) => outcomes.get(key)?.() ?? accepted

    const text = await run({ validate, context: { onTaken } })

    expect(text.split(', ').toSorted()).toEqual([
      '1 rejected',
      '1 retried',
      '1 waiting',
      '3 advanced',
    ])
    expect((await lettersOf([rejected!, failing!, waiting!, ...others])).map(statusOf)).toEqual([
      ...['REJECTED', 'VALIDATING', 'VALIDATING'],
      ...others.map(() => 'PENDING'),
    ])
    expect(onTaken).toHaveBeenCalledTimes(1)
  })

  test('reports its progress', async () => {
    const [slow] = await someLetters(3)
    const { promise, resolve } = Promise.withResolvers<void>()
    const texts: string[] = []
    const validate = async ({ key }: { key: string }) => {
      if (key === slow) await promise
      return accepted
    }

    const running = runLetters(
      aWorker(database.db, { validate }),
      await aTask(),
      lockHeld,
      async (text) => void texts.push(text),
    )
    await eventually(() => texts.includes('2 of 3'), { message: 'two letters are reported' })
    resolve()

    expect(await running).toBe('3 advanced')
    expect(texts.every((text) => /^[012] of 3$/.test(text))).toBe(true)
  })

  test('records the processing time of each consumer for the scheduler', async () => {
    const [dear] = await someLetters(1)
    const cheap = await someLetters(3)
    const validate = async ({ key }: { key: string }) => {
      if (key === dear) await database.pool.query('select pg_sleep(1)')
      return accepted
    }

    await run({ validate })

    const { rows } = await database.pool.query<{ size: number; ms: number; lane: string }>(
      'select size, ms, lane from letter_spent order by size',
    )
    expect(rows).toMatchObject([
      { size: 1, lane: 'plain' },
      { size: cheap.length, lane: 'plain' },
    ])
    expect(rows[0]!.ms + rows[1]!.ms).toBeGreaterThan(990)
    expect(rows[0]!.ms).toBeGreaterThan(rows[1]!.ms / cheap.length)
  })

  test('records no time for letters that wait for a dependency', async () => {
    const [away] = await someLetters(2)
    const validate = async ({ key }: { key: string }) => {
      if (key === away) throw new Error('away')
      return accepted
    }
    const context = judging(async () => ({ dependency: 'object-store', verdict: 'away' }))

    const text = await run({ validate, context })

    expect(text).toContain('1 postponed by an outage')
    expect((await database.pool.query('select from letter_spent')).rows).toEqual([])
  })
})

describe('after an error in one letter', () => {
  test('the other letters are finished, and the failed letter is left to the sweep', async () => {
    const [lost, ...others] = await someLetters(4)
    const pending = Promise.withResolvers<void>()
    const validate = async ({ key }: { key: string }) => {
      if (key !== lost) await pending.promise
      return accepted
    }
    const { commits, ...context } = aWorker(database.db, { validate })
    const move: typeof commits.move = async (moving, ...rest) => {
      if (moving.key !== lost) return commits.move(moving, ...rest)
      // neither its outcome nor its failure can be written
      await database.pool.query(
        `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
         create trigger refuse before update on print_job for each row when (old.key = '${lost}') execute function refuse()`,
      )
      pending.resolve()
      throw new Error('a defect')
    }

    await expect(
      runLetters({ ...context, commits: { move } }, await aTask(), lockHeld),
    ).rejects.toThrow()

    const [left, ...finished] = await lettersOf([lost!, ...others])
    expect(finished.map(({ status }) => status)).toEqual(others.map(() => 'PENDING'))
    expect(left).toMatchObject({ status: 'QUARANTINE' })
    expect(await leases()).toHaveLength(1)
    await database.pool.query('drop trigger refuse on print_job')
    await expireLeases(database.db)
    expect(await giveUpBatches(database.db, letterKind)).toBe(1)
  })
})

describe('a batch that cannot be taken', () => {
  const diskFull = `create function refuse() returns trigger language plpgsql as
     $$ begin raise 'could not extend file' using errcode = '53100'; end $$;
     create trigger refuse before update on letter_batch execute function refuse()`

  test('is retried until the database is available', async () => {
    const [key] = await someLetters(1)
    const task = await aTask()
    await database.pool.query(diskFull)
    let judged = 0
    const context = judging(async () => {
      judged += 1
      if (judged === 2) await database.pool.query('drop trigger refuse on letter_batch')
      return { dependency: 'database', verdict: 'letter' }
    })

    expect(await run({ context }, { task })).toBe('1 advanced')
    expect([judged, (await lettersOf([key!]))[0]?.status]).toEqual([2, 'PENDING'])
  })

  test('is abandoned when the queue gives it to another worker', async () => {
    await someLetters(1)
    const task = await aTask()
    await database.pool.query(diskFull)
    const lost = new AbortController()
    const context = judging(async () => {
      lost.abort()
      return { dependency: 'database', verdict: 'letter' }
    })

    expect(await run({ context }, { task, lock: lost.signal })).toBe('nothing to do')
    expect((await database.pool.query('select from letter_batch')).rows).toHaveLength(1)
  })

  test('fails on a fault outside the database', async () => {
    await someLetters(1)
    const task = await aTask()
    await database.pool.query(diskFull)

    await expect(run({}, { task })).rejects.toThrow('could not extend file')
  })
})

test('a lost lock of the task aborts the work on its letters', async () => {
  const [key] = await someLetters(1)
  const lock = new AbortController()
  const validate = (_step: unknown, signal: AbortSignal) =>
    new Promise<Outcome>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')))
      lock.abort()
    })

  expect(await run({ validate }, { lock: lock.signal })).toBe('1 postponed by an outage')
  expect((await lettersOf([key!]))[0]).toMatchObject({ failures: 0, starts: 1 })
  expect(await leases()).toEqual([])
})

test('a batch that was given up aborts the work on its letters, which another worker then does', async () => {
  const keys = await someLetters(2)
  const begun = Promise.withResolvers<void>()
  let waiting = 0
  const validate = (_step: unknown, signal: AbortSignal) =>
    new Promise<Outcome>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      waiting += 1
      if (waiting === 2) begun.resolve()
    })
  const running = run({ validate, context: { leaseSeconds: 1 } })
  await begun.promise

  await expireLeases(database.db)
  expect(await giveUpBatches(database.db, letterKind)).toBe(2)
  expect(await running).toBe('2 postponed by an outage')

  // the worker is alive: its starts do not count
  expect(await lettersOf(keys)).toMatchObject(keys.map(() => ({ starts: 0, status: 'QUARANTINE' })))
  expect(await run({}, { task: await aBatchTask(database.db, 'slow') })).toBe('2 advanced')
})

test('the lease is renewed for as long as the work lasts', async () => {
  await someLetters(1)
  const validate = async () => {
    const [held] = await leases()
    await eventually(
      async () => {
        const [now] = await leases()
        return now!.getTime() > held!.getTime() + 1_000
      },
      { message: 'the lease ends a second later' },
    )
    return accepted
  }

  expect(await run({ validate, context: { leaseSeconds: 1 } })).toBe('1 advanced')
})

test('a closing process hands back all letters of its batch, even those not begun', async () => {
  const keys = await someLetters(4)
  const begun = Promise.withResolvers<void>()
  const validate = () => {
    begun.resolve()
    return new Promise<Outcome>(() => {})
  }
  const handBack = createHandBack({ db: database.db, finishMsMax: 0, onError: () => {} })
  const task = await aTask()
  // letters without files begin all at once
  await database.pool.query(`update letter_batch set lane = 'files'`)
  const running = run({ validate, context: { handBack, lettersAtOnce: 1 } }, { task })
  await begun.promise

  handBack.begin()

  expect(await running).toBe('4 handed back')
  for (const letter of await lettersOf(keys)) {
    expect(letter).toMatchObject({ starts: 0, failures: 0, epoch: 1 })
  }
  const { rows } = await database.pool.query(
    `select from letter_later where lane = 'plain' and due_at <= now()`,
  )
  expect(rows).toHaveLength(4)
  expect(await run()).toBe('4 advanced')
})

test('a letter that kills workers is isolated in its batch and parked, and other letters continue', async () => {
  const { db, pool } = database
  const keys = await someLetters(5)
  const killer = keys[0]!
  const chooser = createBatchChooser(letterKind)
  const roomy = withRoom(letterKind, { ordinary: 4, slow: 20 })
  const sizesOfKiller: number[] = []

  for (let minute = 0; minute < 20; minute++) {
    for (const { id, epoch, size } of await formBatches(db, roomy, {
      pausedQueues: [],
      ...chooser,
    })) {
      const { rows } = await pool.query(
        'select from letter_batch where id = $1 and $2 = any (subjects)',
        [id, killer],
      )
      const isDeadly = rows.length > 0 && sizesOfKiller.length < 10
      if (rows.length > 0) sizesOfKiller.push(size)
      // the worker dies once it has taken the batch, or lives
      if (isDeadly) await takeBatch(db, letterKind, { id, epoch }, 20)
      else await run({}, { task: { subject: id, epoch, lane: 'plain' } })
    }
    await expireLeases(db)
    await giveUpBatches(db, letterKind)
  }

  expect(sizesOfKiller).toEqual([5, ...Array.from({ length: 10 }, () => 1)])
  const [parked, ...others] = await lettersOf(keys)
  expect(parked).toMatchObject({ status: 'QUARANTINE', isParked: true })
  expect(others).toMatchObject(others.map(() => ({ status: 'PENDING', isParked: false })))
  const { rows } = await pool.query(
    'select step_failure as failure from print_job where key = $1',
    [killer],
  )
  expect(rows).toEqual([{ failure: 'WorkerDied' }])
})

const statusOf = ({ status }: { status: string }) => status
