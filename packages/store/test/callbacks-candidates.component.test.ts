import { aDatabase } from '@despatch/testing/a-database'
import { secondsAgo } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { takeIds, takeOnce } from '@despatch/testing/take-callbacks'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { endTurns } from '../src/callback/end-turns.ts'
import { aCallbackStore } from './a-callback-store.ts'

const { db, pool, seed, aCallback: due } = await aCallbackStore()

const secondsAhead = (seconds: number) => secondsAgo(-seconds)
const shut = () =>
  db
    .insertInto('callback_origin')
    .values({ origin: 'https://example.com', breaker: 'open', breaker_until: secondsAhead(60) })
    .execute()

/** More origins than a pass visits, with a callback each. Their names are in the order of their numbers. */
const originsMax = 300
async function manyOrigins(count: number): Promise<void> {
  await sql`
    insert into callback (id, consumer_id, kind, sequence, origin, body, due_at)
    select gen_random_uuid(), ${seed.consumerId}::uuid, 'test', 1, 'https://' || 1000 + n, '', now()
    from generate_series(1, ${count}::integer) n`.execute(db)
}

test.each([
  ['the first', undefined],
  ['the first of the last ten, and goes on with the first', 'https://1310'],
])(
  'a pass visits a bounded number of origins, if it begins with %s',
  async (_which, originAfter) => {
    await manyOrigins(originsMax + 20)

    const take = await takeOnce(pool, { free: 1_000, originAfter })

    expect(new Set(take.callbacks.map(({ origin }) => origin)).size).toBe(originsMax)
    expect(take.callbacks).toHaveLength(originsMax)
  },
)

test('a last attempt is not taken again while it is under way', async () => {
  const last = { attempts: 3, first_attempt_at: secondsAgo(60), window_ends_at: secondsAgo(1) }
  const id = await due({ ...last, due_at: secondsAgo(1) })

  expect(await takeIds(pool)).toEqual([id])
  expect(await takeIds(pool)).toEqual([])
})

test('behind an open breaker a first attempt is not taken again while it is under way', async () => {
  await shut()
  const id = await due({ owed_since: secondsAgo(3_600) })

  expect(await takeIds(pool)).toEqual([id])
  expect(await takeIds(pool)).toEqual([])
})

test.each([
  ['whose window has ended', { attempts: 1, window_ends_at: secondsAgo(1) }],
  ['that has waited too long behind an open breaker', { owed_since: secondsAgo(3_600) }],
] as const)('a callback %s is not taken before it is due', async (_which, given) => {
  await shut()
  await due({ ...given, due_at: secondsAhead(60) })

  expect(await takeIds(pool)).toEqual([])
})

test('behind an open breaker only first attempts, and those without a window, are taken in time', async () => {
  await shut()
  const owed_since = secondsAgo(3_600)
  const first = await due({ owed_since })
  const replayed = await due({ owed_since, attempts: 5, attempts_before: 5 })
  await due({ owed_since, attempts: 1, window_ends_at: secondsAhead(600) })
  await due({ owed_since: secondsAgo(10) })

  expect((await takeIds(pool)).toSorted()).toEqual([first, replayed].toSorted())
})

test('of another origin, a breaker that is open shuts nothing', async () => {
  await shut()
  const id = await due({ origin: 'https://another.example' })

  expect(await takeIds(pool)).toEqual([id])
})

test('a probe of one origin changes no breaker of another', async () => {
  const other = { origin: 'https://another.example', breaker: 'open' } as const
  await db
    .insertInto('callback_origin')
    .values([
      { origin: 'https://example.com', breaker: 'open', breaker_until: secondsAgo(1) },
      { ...other, breaker_until: secondsAgo(1) },
    ])
    .execute()
  await due()
  const breakers = () =>
    db.selectFrom('callback_origin').select(['origin', 'breaker', 'breaker_until'])
  const read = () => breakers().where('origin', '=', other.origin).executeTakeFirst()
  const before = await read()

  expect(await takeIds(pool)).toHaveLength(1)

  expect(await read()).toEqual(before)
})

test('a turn that has ended ends no other', async () => {
  await due()
  const going = await due({ origin: 'https://another.example' })
  const { callbacks } = await takeOnce(pool)
  const ended = callbacks.find(({ id }) => id !== going)!

  await endTurns(pool, { batches: [ended.batch], kept: [] })

  const turns = await db.selectFrom('callback_batch').select('subjects').execute()
  expect(turns).toEqual([{ subjects: [going] }])
})

/** Another database of the server, whose tables have the same numbers. */
const elsewhere = await shared(aDatabase())

test.each([
  ['reads callbacks', pool, 'select from callback'],
  ['writes other rows', pool, 'lock table print_job in row exclusive mode'],
  [
    'writes callbacks in another database',
    elsewhere.pool,
    'lock table callback in row exclusive mode',
  ],
] as const)(
  'strict order does not wait for a transaction that %s',
  async (_what, its, statement) => {
    const id = await due({ strict_contract_id: seed.contractId, state: 'WAITING', due_at: null })
    const client = await its.connect()
    await client.query('begin')
    await client.query(statement)

    const take = await takeOnce(pool)

    await client.query('rollback')
    client.release()
    // nothing else waits, so no other pass is due
    expect(take).toMatchObject({ callbacks: [{ id }], nextDueAt: null })
  },
)
