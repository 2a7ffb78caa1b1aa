import { randomUUID } from 'node:crypto'
import { lanes, type WorkQueue } from '@despatch/domain/work/lane'
import { aDatabase } from '@despatch/testing/a-database'
import { byEffort } from '@despatch/testing/effort'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { takeLetters } from '@despatch/testing/take-letters'
import { withRoom } from '@despatch/testing/with-room'
import { endBatch, takeBatch } from '@despatch/work/batch-lease'
import { type BatchChoice, createBatchChooser, type Room } from '@despatch/work/choose-batches'
import { type FormOptions, formBatches, hasWork } from '@despatch/work/form-batches'
import type { Kind } from '@despatch/work/kind'
import { createMarks } from '@despatch/work/marks'
import { consumersMax } from '@despatch/work/read-waiting'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../src/database.ts'
import { letterKind } from '../src/print-job/letter-kind.ts'
import { postponeStep, retryStep } from '../src/print-job/steps.ts'
import { saveSubmissions } from '../src/print-job/submissions.ts'
import { aFile, clearWork, placesOf } from './some-work.ts'

const database = await shared(aDatabase({ connectionsMax: 8 }))
const { db, pool } = database
const consumer = await insertConsumer(db)
const other = await insertConsumer(db)
beforeEach(() => clearWork(database))

type Detail = Parameters<typeof aSubmission>[1]

/** Saves letters one after another and returns their keys, oldest first. */
async function letters(count: number, of = consumer, detail: Detail = {}): Promise<string[]> {
  const keys: string[] = []
  for (let saved = 0; saved < count; saved += 1) {
    const submission = aSubmission(of, detail)
    await saveSubmissions(pool, [submission])
    keys.push(submission.key)
  }
  return keys
}

/** A batch of the plain lane with these shares. */
const ofShares = (...shares: BatchChoice['shares']): BatchChoice => ({
  lane: 'plain',
  queue: 'letters',
  isFirst: false,
  shares,
})
const share = ({ consumerId }: typeof consumer, count: number) => ({ consumerId, size: count })

/** Forms batches. The chooser decides unless the test names the choices. */
const form = ({
  choices,
  kind = letterKind,
  ...options
}: Partial<FormOptions> & { kind?: Kind; choices?: readonly BatchChoice[] } = {}) =>
  formBatches(db, kind, {
    pausedQueues: [],
    ...createBatchChooser(letterKind),
    ...(choices && { choose: () => [...choices] }),
    ...options,
  })

const makeDue = () => pool.query("update letter_batch set due_at = now() - interval '1 second'")

async function keysOf({ id }: { id: string }): Promise<string[]> {
  const { subjects } = await db
    .selectFrom('letter_batch')
    .select('subjects')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return subjects
}

describe('a batch', () => {
  test('has the waiting time of its oldest letter', async () => {
    await letters(2)
    const since = new Date('2026-03-02T10:00:00Z')
    await pool.query(
      'update letter_waiting set since = $1 where seq = (select min(seq) from letter_waiting)',
      [since],
    )

    const [batch] = await form({ choices: [ofShares(share(consumer, 2))] })

    const { rows } = await pool.query('select waiting_since from letter_batch where id = $1', [
      batch!.id,
    ])
    expect(rows).toEqual([{ waiting_since: since }])
  })

  test('has the oldest letters of each share, and the other letters stay in the queue', async () => {
    const [a1, b1] = [await letters(1), await letters(2, other)]
    const [a2, b2] = [await letters(2), await letters(1, other)]

    const [batch] = await form({ choices: [ofShares(share(consumer, 2), share(other, 2))] })

    expect(batch).toEqual({
      id: expect.any(String),
      epoch: 1,
      queue: 'letters',
      lane: 'plain',
      isFirst: false,
      consumerId: null,
      size: 4,
    })
    expect(await keysOf(batch!)).toEqual([a1[0], b1[0], b1[1], a2[0]])
    expect(await placesOf(database, a1[0]!)).toEqual([
      { place: 'batch', lane: 'plain', queue: 'letters', epoch: 1 },
    ])
    for (const left of [a2[1]!, b2[0]!]) {
      expect(await placesOf(database, left)).toEqual([{ place: 'waiting', lane: 'plain' }])
    }
  })

  test('names its consumer if all letters have the same one, and may have fewer letters than chosen', async () => {
    const keys = await letters(2)

    const choices = [ofShares(share(consumer, 100)), ofShares(share(other, 5))]
    const batches = await form({ choices })

    // There is nothing for the second choice.
    expect(batches).toMatchObject([{ consumerId: consumer.consumerId, size: 2 }])
    expect(await keysOf(batches[0]!)).toEqual(keys)
  })

  test('has letters of one lane, and letters that failed before are alone', async () => {
    const [plain] = await letters(1)
    const withFiles = await letters(2, consumer, { files: [aFile] })
    const failed = await letters(2)
    await pool.query('delete from letter_waiting where subject = any ($1::uuid[])', [failed])
    for (const step of await takeLetters(db, failed)) {
      await retryStep(db, step, { seconds: -1, failure: 'TimeoutError' })
    }

    const batches = await form()

    const formed = await Promise.all(
      batches.map(async (batch) => [batch.lane, batch.queue, await keysOf(batch)] as const),
    )
    const keysIn = (lane: string) =>
      formed.filter(([of]) => of === lane).map(([, queue, keys]) => ({ queue, keys }))
    expect(keysIn('plain')).toEqual([{ queue: 'letters', keys: [plain] }])
    const ofFiles = keysIn('files').flatMap(({ keys }) => keys)
    expect(ofFiles).toEqual(withFiles.slice(0, ofFiles.length))
    expect(keysIn('slow').toSorted((a, b) => (a.keys[0]! < b.keys[0]! ? -1 : 1))).toEqual(
      failed.toSorted().map((key) => ({ queue: 'slow', keys: [key] })),
    )
  })
})

describe('an offered batch', () => {
  test.each([
    ['letters', 10],
    ['slow', 15],
  ] as const)(
    'of the queue %s is due again after %i seconds, each time',
    async (queue, seconds) => {
      await letters(1)
      const dueIn = async () => {
        const { rows } = await pool.query<{ seconds: number }>(
          'select extract(epoch from due_at - now())::double precision as seconds from letter_batch',
        )
        return rows[0]!.seconds
      }

      await form({ choices: [{ ...ofShares(share(consumer, 1)), queue }] })
      const atFirst = await dueIn()
      await makeDue()
      await form()

      for (const dueSeconds of [atFirst, await dueIn()]) {
        expect(dueSeconds).toBeGreaterThan(seconds - 8)
        expect(dueSeconds).toBeLessThanOrEqual(seconds)
      }
    },
  )

  test('is offered again while the other queue is paused, but not while its own is paused', async () => {
    await letters(2)
    const choices = (['letters', 'slow'] as const).map((queue) => ({
      ...ofShares(share(consumer, 1)),
      queue,
    }))
    await form({ choices })
    await makeDue()

    const again = await form({ choices: [], pausedQueues: ['letters'] })
    const resumed = await form({ choices: [] })

    expect(again).toMatchObject([{ queue: 'slow', epoch: 2 }])
    expect(resumed).toMatchObject([{ queue: 'letters', epoch: 2 }])
  })
})

describe('the room of a queue', () => {
  test('shrinks with each offered batch, and grows with each taken batch', async () => {
    await letters(20)
    const rooms: Room[] = []
    const oneFor = (queue: WorkQueue) => ({
      choose: (_waiting: unknown, room: Room) => {
        rooms.push({ ...room })
        return [{ ...ofShares(share(consumer, 1)), queue }]
      },
    })
    const [first] = await form(oneFor('letters'))
    await form(oneFor('letters'))
    await form(oneFor('slow'))
    await takeBatch(db, letterKind, first!, 60)
    await form(oneFor('letters'))

    expect(rooms).toEqual([
      { letters: 4, slow: 2 },
      { letters: 3, slow: 2 },
      { letters: 2, slow: 2 },
      { letters: 3, slow: 1 },
    ])
  })

  test('does not limit due batches, which are offered again', async () => {
    await letters(10)
    const full = { kind: withRoom(letterKind, { ordinary: 1, slow: 0 }) }
    await form(full)
    await makeDue()

    expect(await form(full)).toMatchObject([{ epoch: 2 }])
  })
})

test('if one pass cannot read all consumers, the next passes read the rest, and then start again', async () => {
  await pool.query(
    `insert into letter_waiting (lane, consumer_id, subject, version)
     select 'plain', lpad(to_hex(number), 32, '0')::uuid, gen_random_uuid(), 0
     from generate_series(1, $1::integer + 5) as known (number)`,
    [consumersMax],
  )
  const marks = createMarks(lanes)
  const read: string[][] = []
  const choose: FormOptions['choose'] = (waiting) => {
    read.push(waiting.map(({ consumerId }) => consumerId))
    return []
  }

  for (let pass = 0; pass < 4; pass++) await form({ choose, marks })

  expect(Math.max(...read.map(({ length }) => length))).toBe(consumersMax)
  expect(new Set(read.slice(0, 3).flat()).size).toBe(consumersMax + 5)
  expect(read[3]).toEqual(read[1])
})

test('a pass reads few of the rows that wait, however many there are', async () => {
  const single = openDatabase(database.url, { name: 'test', connectionsMax: 1 })
  onTestFinished(() => single.close())
  const rowsRead = async () => {
    await single.pool.query('select pg_stat_force_next_flush()')
    const { rows } = await single.pool.query<{ count: number }>(
      `select idx_tup_read as count from pg_stat_user_indexes where indexrelname = 'letter_waiting_pkey'`,
    )
    return rows[0]!.count
  }
  // the statistics of the table do not know of these rows yet
  await pool.query(
    `insert into letter_waiting (lane, consumer_id, subject, version)
     select 'plain', lpad((number % 10 + 1)::text, 32, '0')::uuid, gen_random_uuid(), 0
     from generate_series(1, $1::integer) as known (number)`,
    [byEffort({ landing: 20_000, full: 1_000_000 })],
  )
  const options = { ...createBatchChooser(letterKind), pausedQueues: [] }
  const marks = createMarks(lanes)
  const before = await rowsRead()

  for (let pass = 0; pass < 3; pass++)
    await formBatches(single.db, letterKind, { ...options, marks })

  expect((await rowsRead()) - before).toBeLessThan(5_000)
})

test('several batches of one pass take the letters of a consumer one after the other, and none twice', async () => {
  const keys = await letters(6)
  const others = await letters(2, other)
  const withFiles = await letters(1, consumer, { files: [aFile] })

  const batches = await form({
    choices: [
      ofShares(share(consumer, 2), share(other, 1)),
      { ...ofShares(share(consumer, 5)), lane: 'files' },
      ofShares(share(other, 9)),
      ofShares(share(consumer, 3)),
      ofShares(share(other, 1)),
    ],
  })

  expect(await Promise.all(batches.map(keysOf))).toEqual([
    [...keys.slice(0, 2), others[0]],
    withFiles,
    [others[1]],
    keys.slice(2, 5),
  ])
  expect(await placesOf(database, keys[5]!)).toEqual([{ place: 'waiting', lane: 'plain' }])
})

test('rows are read from the mark of their consumer, and those below it when the marks are dropped', async () => {
  let nowMs = 0
  const marks = createMarks(lanes, { clock: () => nowMs })
  const options = {
    marks,
    kind: withRoom(letterKind, { ordinary: 100, slow: 0 }),
    pausedQueues: ['letters'] as const,
  }
  const pass = async () => (await form(options)).reduce((sum, batch) => sum + batch.size, 0)
  await letters(2)
  expect(await pass()).toBe(2)
  for (const seconds of [6, 12, 13]) {
    nowMs = seconds * 1_000
    await letters(1)
    expect(await pass()).toBe(1)
  }
  const mark = marks.of('plain', consumer.consumerId)
  expect(mark).toBeGreaterThan(0)

  await pool.query(
    `insert into letter_waiting (lane, consumer_id, seq, subject, version) overriding system value
     values ('plain', $1, $2, gen_random_uuid(), 0)`,
    [consumer.consumerId, mark],
  )
  await letters(1)
  await letters(1, other)

  expect(await pass()).toBe(2)
  nowMs = 20_000
  expect(await pass()).toBe(1)
})

describe('two processes that form at once', () => {
  test('lose no letter when one of them fails while it forms', async () => {
    const [key] = await letters(1)
    const failing = form({
      choose: () => {
        throw new Error('it fails')
      },
    })
    await expect(failing).rejects.toThrow('it fails')

    expect(await placesOf(database, key!)).toEqual([{ place: 'waiting', lane: 'plain' }])
    expect(await form()).toMatchObject([{ size: 1 }])
  })
})

describe('the chooser receives', () => {
  test('the number of waiting letters of each lane and consumer, up to a hundred', async () => {
    await letters(2, other)
    await letters(1, consumer, { files: [aFile] })
    await pool.query(
      `insert into letter_waiting (lane, consumer_id, subject, version)
       select 'plain', $1, gen_random_uuid(), 0 from generate_series(1, 150)`,
      [consumer.consumerId],
    )
    const seen: unknown[] = []

    await form({
      choose: (waiting) => {
        seen.push(...waiting)
        return []
      },
    })

    const expected = [
      { lane: 'files', consumerId: consumer.consumerId, size: 1 },
      { lane: 'plain', consumerId: consumer.consumerId, size: 100 },
      { lane: 'plain', consumerId: other.consumerId, size: 2 },
    ]
    expect(seen).toHaveLength(3)
    expect(seen).toEqual(expect.arrayContaining(expected))
  })

  test('the time that batches took, once', async () => {
    await letters(1)
    const spent = [
      { lane: 'plain' as const, consumerId: consumer.consumerId, size: 40, ms: 120.5 },
      { lane: 'files' as const, consumerId: other.consumerId, size: 2, ms: 81 },
    ]
    await endBatch(db, letterKind, { id: randomUUID(), epoch: 1 }, spent)
    await endBatch(db, letterKind, { id: randomUUID(), epoch: 1 })
    const learned: unknown[] = []

    await form({ spend: (times) => learned.push(...times) })
    await form({ spend: (times) => learned.push(...times) })

    expect(learned).toHaveLength(2)
    expect(learned).toEqual(expect.arrayContaining(spent))
  })

  /** Adds a waiting letter of each consumer. */
  const addOneOfEach = (lane: string, consumers: readonly string[]) =>
    pool.query(
      `insert into letter_waiting (lane, consumer_id, subject, version)
       select $1, consumer, gen_random_uuid(), 0 from unnest($2::uuid[]) as consumer`,
      [lane, consumers],
    )

  test('the letters of a lane, with any number of consumers in another lane', async () => {
    await addOneOfEach(
      'files',
      Array.from({ length: 1_001 }, () => randomUUID()),
    )
    await addOneOfEach('plain', [consumer.consumerId])
    await addOneOfEach('slow', [other.consumerId])
    const seen = new Map<string, number>()

    await form({
      choose: (waiting) => {
        for (const { lane } of waiting) seen.set(lane, (seen.get(lane) ?? 0) + 1)
        return []
      },
    })

    expect(Object.fromEntries(seen)).toEqual({ files: 1_000, plain: 1, slow: 1 })
  })

  test('the letters of all of a thousand consumers, each in turn', async () => {
    const consumers = Array.from({ length: 1_000 }, () => randomUUID())
    await addOneOfEach('plain', consumers)
    const chooser = createBatchChooser(letterKind)
    const served = new Set<string>()

    for (let pass = 1; served.size < 1_000 && pass <= 100; pass += 1) {
      for (const { id } of await form(chooser)) {
        const { rows } = await pool.query<{ consumer_ids: string[] }>(
          'delete from letter_batch where id = $1 returning consumer_ids',
          [id],
        )
        for (const consumerId of rows[0]!.consumer_ids) served.add(consumerId)
      }
    }

    expect(served).toEqual(new Set(consumers))
  })
})

describe('hasWork', () => {
  test('is false without waiting letters, also while a batch is offered or letters wait for later', async () => {
    expect(await hasWork(db, letterKind)).toBe(false)
    const [key] = await letters(1)
    expect(await hasWork(db, letterKind)).toBe(true)
    await form()
    expect(await hasWork(db, letterKind)).toBe(false)
    await makeDue()
    expect(await hasWork(db, letterKind)).toBe(true)

    await clearWork(database)
    const [step] = await takeLetters(db, [key!])
    await postponeStep(db, step!, 600)
    expect(await hasWork(db, letterKind)).toBe(false)
    await pool.query('update letter_later set due_at = now()')
    expect(await hasWork(db, letterKind)).toBe(true)
  })
})
