import { aDatabase } from '@despatch/testing/a-database'
import { makePending } from '@despatch/testing/make-pending'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { takeLetters } from '@despatch/testing/take-letters'
import { beside } from '@despatch/testing/waits-or-ends'
import { formBatches } from '@despatch/work/form-batches'
import { moveDueWork, wakeWaitingWork } from '@despatch/work/later'
import { beforeEach, describe, expect, test } from 'vitest'
import { countViolations } from '../src/overview/invariants.ts'
import { letterKind } from '../src/print-job/letter-kind.ts'
import { recoverLostWork } from '../src/print-job/recover-lost.ts'
import { parkStep, postponeStep } from '../src/print-job/steps.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'
import { aFile, clearWork, placesOf } from './some-work.ts'

const database = await shared(aDatabase({ connectionsMax: 8 }))
const { db, pool } = database
const consumer = await insertConsumer(db)
beforeEach(async () => {
  await clearWork(database)
  await pool.query("update print_job set status = 'REJECTED', parked_at = null")
})

async function aLetter(detail: Parameters<typeof aSubmission>[1] = {}): Promise<string> {
  const submission = aSubmission(consumer, detail)
  await saveSubmissions(pool, [submission])
  return submission.key
}

/** A letter that waits until then, or for the dependency. */
async function postponed(
  seconds: number,
  options: Parameters<typeof postponeStep>[3] & { files?: (typeof aFile)[] } = {},
): Promise<string> {
  const { files = [], ...postponement } = options
  const key = await aLetter({ files })
  await pool.query('delete from letter_waiting where subject = $1', [key])
  const [step] = await takeLetters(db, [key])
  await postponeStep(db, step!, seconds, postponement)
  return key
}

/** Returns the letters that wait for a worker, in their order. */
async function waiting(): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    'select subject as key from letter_waiting order by seq',
  )
  return rows.map(({ key }) => key)
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

const movesAndWakes = [
  [
    'move',
    () =>
      db
        .transaction()
        .execute((tx) => moveDueWork(tx, letterKind, 100))
        .then(waiting),
  ],
  ['wake', () => wakeWaitingWork(db, letterKind, 'object-store', 100).then(waiting)],
] as const

test.each(movesAndWakes)(
  'to %s letters, nobody waits for one that another transaction is changing',
  async (_what, moveOrWake) => {
    const [changing, other] = [
      await postponed(-1, { waitsFor: 'object-store' }),
      await postponed(-1, { waitsFor: 'object-store' }),
    ]
    const statement = 'select from letter_later where subject = $1 for update'

    const { first, result } = await beside(pool, { statement, values: [changing] }, moveOrWake)

    expect([first, result]).toEqual(['ends', [other]])
  },
)

describe('moveDueWork', () => {
  const move = (lettersMax = 100) =>
    db.transaction().execute((tx) => moveDueWork(tx, letterKind, lettersMax))

  test('moves due letters into their lanes, and leaves other letters', async () => {
    const plain = await postponed(-1)
    const withFiles = await postponed(-1, { files: [aFile] })
    const interrupted = await postponed(-1, { countsStart: true })
    const later = await postponed(600)

    await move()

    expect(await placesOf(database, plain)).toEqual([{ place: 'waiting', lane: 'plain' }])
    expect(await placesOf(database, withFiles)).toEqual([{ place: 'waiting', lane: 'files' }])
    expect(await placesOf(database, interrupted)).toEqual([{ place: 'waiting', lane: 'slow' }])
    expect(await placesOf(database, later)).toMatchObject([{ place: 'later', isDue: false }])
  })

  test('moves the longest due letters first, up to the limit', async () => {
    const [second, first, third] = [
      await postponed(-20),
      await postponed(-30),
      await postponed(-10),
    ]

    await move(2)
    expect((await waiting()).toSorted()).toEqual([first, second].toSorted())
    await move(2)

    expect((await waiting()).at(-1)).toBe(third)
  })

  test('moves each letter once when several run at the same time', async () => {
    for (let letters = 0; letters < 10; letters += 1) await postponed(-1)

    await Promise.all([move(4), move(4), move(4)])
    await move()

    const moved = await waiting()
    expect([moved.length, new Set(moved).size]).toEqual([10, 10])
  })
})

describe('wakeWaitingWork', () => {
  test('moves only letters that wait for the dependency, the earliest first', async () => {
    const second = await postponed(200, { waitsFor: 'object-store' })
    const ofAnother = await postponed(150, { waitsFor: 'virus-scanner' })
    const ofNone = await postponed(150)
    const first = await postponed(100, { waitsFor: 'object-store' })

    expect(await wakeWaitingWork(db, letterKind, 'object-store', 1)).toBe(1)
    expect(await waiting()).toEqual([first])
    expect(await wakeWaitingWork(db, letterKind, 'object-store', 100)).toBe(1)
    expect(await waiting()).toEqual([first, second])

    expect(await wakeWaitingWork(db, letterKind, 'object-store', 100)).toBe(0)
    for (const key of [ofAnother, ofNone]) {
      expect(await placesOf(database, key)).toMatchObject([{ place: 'later' }])
    }
  })

  test('moves each letter once when several sweeps run at the same time', async () => {
    for (let letters = 0; letters < 10; letters += 1)
      await postponed(150, { waitsFor: 'object-store' })

    const counts = await Promise.all(
      [1, 2, 3].map(() => wakeWaitingWork(db, letterKind, 'object-store', 100)),
    )

    expect([sum(counts), new Set(await waiting()).size]).toEqual([10, 10])
  })

  test('keeps an interrupted letter alone in its batch', async () => {
    const key = await postponed(150, { waitsFor: 'object-store', countsStart: true })

    await wakeWaitingWork(db, letterKind, 'object-store', 100)

    expect(await placesOf(database, key)).toEqual([{ place: 'waiting', lane: 'slow' }])
  })
})

describe('recoverLostWork', () => {
  const recover = (lettersMax = 100) => recoverLostWork(db, { lettersMax, untouchedSeconds: 60 })
  const anHourAgo = (...keys: string[]) =>
    pool.query(
      `update print_job set updated_at = now() - interval '1 hour' where key = any ($1::uuid[])`,
      [keys],
    )
  const unwatched = async () => (await countViolations(db))['unwatched-steps']

  /** A letter whose place in the waiting work was lost. */
  async function lost(detail: Parameters<typeof aSubmission>[1] = {}): Promise<string> {
    const key = await aLetter(detail)
    await pool.query('delete from letter_waiting where subject = $1', [key])
    await anHourAgo(key)
    return key
  }

  test('letters without a place are counted as violations, and get a place in their lanes, once', async () => {
    const [plain, withFiles, failed] = [await lost(), await lost({ files: [aFile] }), await lost()]
    await pool.query(
      "update print_job set status = 'VALIDATING', step_failures = 1 where key = $1",
      [failed],
    )
    expect(await unwatched()).toBe(3)

    expect([await recover(), await recover()]).toEqual([3, 0])

    expect(await placesOf(database, plain)).toEqual([{ place: 'waiting', lane: 'plain' }])
    expect(await placesOf(database, withFiles)).toEqual([{ place: 'waiting', lane: 'files' }])
    expect(await placesOf(database, failed)).toEqual([{ place: 'waiting', lane: 'slow' }])
    expect(await unwatched()).toBe(0)
  })

  test('letters that wait, wait for later, are offered, leased, parked or ended are not changed', async () => {
    const offered = await aLetter()
    await formBatches(db, letterKind, {
      pausedQueues: [],
      spend: () => {},
      choose: () => [
        {
          lane: 'plain',
          queue: 'letters',
          isFirst: false,
          shares: [{ consumerId: consumer.consumerId, size: 1 }],
        },
      ],
    })
    const waits = await aLetter()
    const later = await postponed(600)
    const [leased, parked, done] = [await lost(), await lost(), await lost()]
    await takeLetters(db, [leased])
    const [step] = await takeLetters(db, [parked])
    await parkStep(db, step!, 'TypeError')
    await pool.query('delete from letter_batch where $1 = any (subjects)', [parked])
    await makePending(db, { key: done })
    const keys = [offered, waits, later, leased, parked, done]
    await anHourAgo(...keys)
    const before = await Promise.all(keys.map((key) => placesOf(database, key)))

    expect(await recover()).toBe(0)
    expect(await unwatched()).toBe(0)

    expect(await Promise.all(keys.map((key) => placesOf(database, key)))).toEqual(before)
    expect(before.map((places) => places.length)).toEqual([1, 1, 1, 0, 0, 0])
  })

  test('a recently changed letter is not changed', async () => {
    const key = await lost()
    await pool.query('update print_job set updated_at = now() where key = $1', [key])

    expect(await recover()).toBe(0)
  })

  test('recovers at most the given number of letters at once', async () => {
    for (let letters = 0; letters < 3; letters += 1) await lost()

    expect([await recover(2), await recover(2), await recover(2)]).toEqual([2, 1, 0])
  })
})
