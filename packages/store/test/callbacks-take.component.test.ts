import { randomUUID } from 'node:crypto'
import { transact } from '@despatch/postgres/transact'
import { countQueries } from '@despatch/testing/count-queries'
import { secondsAgo, seeder } from '@despatch/testing/seed-print-job'
import { aRecord, someLimits, takeIds, takeOnce } from '@despatch/testing/take-callbacks'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { insertCallbacks } from '../src/callback/insert.ts'
import { recordCallbacks } from '../src/callback/record.ts'
import { createSettledPositions } from '../src/callback/settled-positions.ts'
import { takeCallbacks } from '../src/callback/take.ts'
import { openDatabase, type Tx } from '../src/database.ts'
import { aCallbackStore } from './a-callback-store.ts'

const { db, pool, url, seed, aCallback: due } = await aCallbackStore()
const secondsAhead = (seconds: number) => secondsAgo(-seconds)

test('a pass that looks first asks in one statement while nothing can be taken', async () => {
  const later = secondsAhead(60)
  await due({ due_at: later })
  await seed.underWay(await due(), later)
  const queries = countQueries()

  const take = await takeOnce(pool, { looksFirst: true })

  expect(take).toMatchObject({ callbacks: [], isMore: false, nextDueAt: later })
  expect(queries.count()).toBe(1)
})

test.each([
  ['is due', () => ({})],
  [
    'waits in strict order behind none',
    () => ({ strict_contract_id: seed.contractId, state: 'WAITING', due_at: null }) as const,
  ],
])('a pass that looks first makes a take if a callback %s', async (_how, given) => {
  await due(given())
  const queries = countQueries()

  await takeOnce(pool, { looksFirst: true })

  expect(queries.count()).toBeGreaterThan(1)
})

test('takes a due callback, with all data for the call', async () => {
  const key = await seed.printJob({
    callback_params: '{"retryParams":{"enabled":true,"maxRetryWindow":60}}',
    trace_context: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  })
  const id = await seed.callback({ print_job_key: key, body: Buffer.from('{"a":1}') })

  const take = await takeOnce(pool)

  expect(take).toEqual({
    kind: 'taken',
    callbacks: [
      {
        id,
        batch: expect.any(String),
        atOnce: 1,
        epoch: 0,
        consumerId: seed.consumerId,
        printJobKey: key,
        kind: 'status',
        sequence: 1,
        body: Buffer.from('{"a":1}'),
        origin: 'https://example.com',
        attempts: 0,
        attemptsBefore: 0,
        owedSince: expect.any(Date),
        firstAttemptAt: null,
        windowEndsAt: null,
        plannedAt: expect.any(Date),
        takenAt: expect.any(Date),
        retryParams: { enabled: true, maxRetryWindow: 60 },
        destinationSealed: Buffer.from('sealed destination'),
        correlationId: 'correlation-1',
        traceContext: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
    ],
    originAfter: 'https://example.com',
    dueUntil: undefined,
    isMore: false,
    nextDueAt: null,
  })
})

test('takes a test message, which has its own destination', async () => {
  const id = await seed.callback({
    print_job_key: null,
    kind: 'test',
    destination_sealed: Buffer.from('its own'),
    retry_params: '{"enabled":false}',
  })

  expect((await takeOnce(pool)).callbacks[0]).toMatchObject({
    id,
    kind: 'test',
    printJobKey: null,
    retryParams: { enabled: false },
    destinationSealed: Buffer.from('its own'),
    correlationId: id,
    traceContext: null,
  })
})

test('ignores callbacks that are not due, ended, waiting or held, and returns the next due time', async () => {
  const at = secondsAhead(60)
  await due({ due_at: at })
  await due({ due_at: secondsAhead(90) })
  await due({ state: 'DELIVERED', ended_at: new Date() })
  await due({ state: 'DEAD', end_reason: 'refused', ended_at: new Date() })
  await seed.underWay(await due(), secondsAhead(60))

  expect(await takeOnce(pool)).toEqual({
    kind: 'taken',
    callbacks: [],
    originAfter: 'https://example.com',
    dueUntil: undefined,
    isMore: false,
    nextDueAt: at,
  })
})

test('takes a callback once, until it is due again', async () => {
  const id = await due()
  const { callbacks } = await takeOnce(pool)

  expect(await takeIds(pool)).toEqual([])

  await recordCallbacks(pool, [aRecord(callbacks[0]!, { kind: 'retry', at: secondsAgo(1) })])
  expect(await takeIds(pool)).toEqual([id])
})

test('takes one callback of a print job at a time, the lowest due sequence first', async () => {
  const key = await seed.printJob()
  const third = await seed.callback({ print_job_key: key, sequence: 3, due_at: secondsAgo(9) })
  const second = await seed.callback({ print_job_key: key, sequence: 2, due_at: secondsAgo(3) })
  await seed.callback({ print_job_key: key, sequence: 1, due_at: secondsAhead(60) })

  const first = await takeOnce(pool)
  expect(first.callbacks.map(({ id }) => id)).toEqual([second])
  expect(await takeIds(pool)).toEqual([])

  await recordCallbacks(pool, [aRecord(first.callbacks[0]!, { kind: 'delivered' })])
  expect(await takeIds(pool)).toEqual([third])
})

test('a failing callback does not hold back a later one', async () => {
  const key = await seed.printJob()
  await seed.callback({ print_job_key: key, sequence: 1 })
  const { callbacks } = await takeOnce(pool)
  const second = await seed.callback({ print_job_key: key, sequence: 2 })

  await recordCallbacks(pool, [aRecord(callbacks[0]!, { kind: 'retry', at: secondsAhead(60) })])

  expect(await takeIds(pool)).toEqual([second])
})

test('in strict order no callback is attempted before the previous one has ended, even if dead', async () => {
  const strict = { strict_contract_id: seed.contractId, state: 'WAITING', due_at: null } as const
  const ids = [await due(strict), await due(strict), await due(strict)]
  const other = await due()

  const first = await takeOnce(pool)
  expect(first.callbacks.map(({ id }) => id).sort()).toEqual([ids[0], other].sort())
  expect(await takeIds(pool)).toEqual([])

  const of = (id: string) => first.callbacks.find((taken) => taken.id === id)!
  await recordCallbacks(pool, [aRecord(of(ids[0]!), { kind: 'retry', at: secondsAhead(60) })])
  expect(await takeIds(pool)).toEqual([])

  const end = { state: 'DEAD', end_reason: 'refused', due_at: null, ended_at: new Date() } as const
  await db.updateTable('callback').set(end).where('id', '=', ids[0]!).execute()
  expect(await takeIds(pool)).toEqual([ids[1]])
})

test('the strict orders of two contracts do not wait for each other', async () => {
  const another = await seeder(db)
  const first = await due({ strict_contract_id: seed.contractId, state: 'WAITING', due_at: null })
  const second = await due({
    strict_contract_id: another.contractId,
    state: 'WAITING',
    due_at: null,
  })

  expect((await takeIds(pool)).sort()).toEqual([first, second].sort())
})

test('strict order waits for a callback that was owed earlier and is committed later', async () => {
  await db.updateTable('contract').set({ callback_order: 'strict' }).execute()
  const keys = [await seed.printJob(), await seed.printJob()]
  const owe = async (tx: Tx, key: string) => {
    const id = randomUUID()
    const owed = [{ id, key, sequence: 1, body: Buffer.from('{}') }]
    await insertCallbacks(tx, owed, { kind: 'status', status: 'DESPATCHED' })
    return id
  }
  const settledPositions = createSettledPositions()

  const ids = await transact(db, async (tx) => {
    const first = await owe(tx, keys[0]!)
    const second = await transact(db, (other) => owe(other, keys[1]!))
    for (let pass = 1; pass <= 3; pass++) {
      const take = await takeOnce(pool, { settledPositions })
      expect(take).toMatchObject({ callbacks: [], nextDueAt: expect.any(Date) })
    }
    return [first, second]
  })

  const { callbacks } = await takeOnce(pool, { settledPositions })
  expect(callbacks.map(({ id }) => id)).toEqual([ids[0]])
  await recordCallbacks(pool, [aRecord(callbacks[0]!, { kind: 'delivered' })])
  expect(await takeIds(pool, { settledPositions })).toEqual([ids[1]])
})

test('takes only as many callbacks as there are free slots, from each origin in turn', async () => {
  for (const origin of ['https://a', 'https://a', 'https://a', 'https://b', 'https://c']) {
    await due({ origin })
  }
  const originsOf = async (free: number, originAfter?: string) => {
    const take = await takeOnce(pool, { free, originAfter })
    return [...take.callbacks.map(({ origin }) => origin), take.originAfter, take.isMore]
  }

  expect(await originsOf(2)).toEqual(['https://a', 'https://b', 'https://b', true])
  expect(await originsOf(2, 'https://b')).toEqual(['https://c', 'https://a', 'https://a', true])
  expect(await originsOf(2, 'https://a')).toEqual(['https://a', 'https://a', false])
})

test('hanging calls of one consumer to thousands of origins do not delay a callback of another', async () => {
  const hanging = await seeder(db)
  await sql`
    insert into callback (id, consumer_id, kind, sequence, origin, body, due_at)
    select gen_random_uuid(), ${hanging.consumerId}::uuid, 'test', n, 'https://' || n, '', now() - interval '1 minute'
    from generate_series(1, 5000) n`.execute(db)
  const underWay = new Map<string, number>()
  const limits = { ...someLimits, reservedCalls: 64 }
  let originAfter: string | undefined
  const pass = async (dueAfter?: Date) => {
    const calls = [...underWay.values()].reduce((sum, count) => sum + count, 0)
    const take = await takeOnce(pool, {
      free: 256 - calls,
      underWay,
      limits,
      originAfter,
      dueAfter,
    })
    originAfter = take.originAfter
    for (const { consumerId } of take.callbacks) {
      underWay.set(consumerId, (underWay.get(consumerId) ?? 0) + 1)
    }
    return take
  }
  const first = await pass(new Date(0))
  await pass()
  expect(underWay).toEqual(new Map([[hanging.consumerId, 228]]))

  const id = await due({ origin: 'https://another' })
  const next = await pass(first.dueUntil)

  expect(next.callbacks.map((callback) => callback.id)).toEqual([id])
  // while all others have to wait, passes pause
  expect(await pass(next.dueUntil)).toMatchObject({ callbacks: [], isMore: false })
})

test.each([
  ['planned as such', 0],
  ['that waited for a minute', 60_000],
])(
  'takes no more callbacks of an origin than its limit, except last attempts %s',
  async (_which, waitedMs) => {
    const limits = { ...someLimits, callsPerOriginMax: 2, lastCallsFactor: 2 }
    for (let index = 0; index < 5; index++) await due({ due_at: secondsAgo(100 - index) })
    const end = secondsAgo(2)
    const last = {
      due_at: new Date(end.getTime() - waitedMs),
      window_ends_at: end,
      first_attempt_at: secondsAgo(60),
      attempts: 3,
    }
    const lasts = [await due(last), await due(last), await due(last)]
    const elsewhere = await due({ origin: 'https://another.example' })

    const taken = [
      ...(await takeIds(pool, { limits, free: 4 })),
      ...(await takeIds(pool, { limits })),
      ...(await takeIds(pool, { limits })),
    ]

    expect(taken).toHaveLength(5)
    expect(taken).toContain(elsewhere)
    expect(taken.filter((id) => lasts.includes(id))).toHaveLength(2)
  },
)

test('takes as many callbacks of an origin as their contract allows, within the limit of the operator', async () => {
  const owe = async (origin: string, calls_max: number) => {
    for (let index = 0; index < 20; index++) await due({ origin, calls_max })
  }
  await owe('https://usual', 8)
  await owe('https://many', 12)
  await owe('https://too-many', 100)
  const limits = { ...someLimits, callsPerOriginMax: 15 }

  const { callbacks } = await takeOnce(pool, { limits })

  const byOrigin = Map.groupBy(callbacks, ({ origin }) => origin)
  expect([...byOrigin].map(([origin, taken]) => [origin, taken.length]).sort()).toEqual([
    ['https://many', 12],
    ['https://too-many', 15],
    ['https://usual', 8],
  ])
  expect(await takeIds(pool, { limits })).toEqual([])
})

test('gives an origin no more calls than its rate, over all processes', async () => {
  const limits = { ...someLimits, callsPerSecondMax: 3 }
  for (let index = 0; index < 8; index++) await due()

  const first = await takeIds(pool, { limits })
  const bucket = await db
    .selectFrom('callback_origin')
    .select(['origin', 'breaker', 'tokens'])
    .executeTakeFirst()

  expect(first).toHaveLength(3)
  expect(bucket).toEqual({ origin: 'https://example.com', breaker: 'closed', tokens: 0 })
})

test('returns busy while another process takes callbacks', async () => {
  await due()
  const client = await pool.connect()
  await client.query('begin; select pg_advisory_xact_lock(1145258580)')
  const take = () => takeCallbacks(pool, { free: 1, leaseSeconds: 20, limits: someLimits })

  expect(await take()).toEqual({ kind: 'busy' })
  await client.query('rollback')
  client.release()

  expect(await take()).toMatchObject({ kind: 'taken', callbacks: [{ epoch: 0 }] })
})

const turns = () =>
  db.selectFrom('callback_batch').select(['id', 'subjects', 'calls_max']).execute()

test('an origin gets a turn: as many calls as it may have at once, and others that follow', async () => {
  for (let index = 0; index < 40; index++) await due({ due_at: secondsAgo(100 - index) })
  const key = await seed.printJob()
  for (const sequence of [1, 2]) {
    await seed.callback({ print_job_key: key, sequence, due_at: secondsAgo(200) })
  }
  await due({ origin: 'https://another' })
  const limits = { ...someLimits, turnLength: 4 }

  const { callbacks } = await takeOnce(pool, { limits })

  const [others, long] = [...Map.groupBy(callbacks, ({ batch }) => batch).values()].sort(
    (one, other) => one.length - other.length,
  )
  expect(others).toMatchObject([{ origin: 'https://another', atOnce: 1 }])
  expect(long).toHaveLength(32)
  expect(new Set(long!.map(({ atOnce }) => atOnce))).toEqual(new Set([8]))
  expect(long!.filter(({ printJobKey }) => printJobKey === key)).toMatchObject([{ sequence: 1 }])
  expect(await turns()).toContainEqual({
    id: long![0]!.batch,
    subjects: long!.map(({ id }) => id),
    calls_max: 8,
  })
  // the rest of the turn is no reason to call others
  expect(await takeIds(pool, { limits })).toEqual([])
})

test('a callback is taken ahead only if no last attempt would wait for it', async () => {
  const jobOf = { retried: await seed.printJob(), first: await seed.printJob() }
  await due({ due_at: secondsAgo(100) })
  for (const [of, endsAt] of [
    ['retried', secondsAgo(-20)],
    ['first', null],
  ] as const) {
    const key = jobOf[of]
    await seed.callback({ print_job_key: key, sequence: 1, due_at: secondsAgo(50) })
    await seed.callback({
      print_job_key: key,
      sequence: 2,
      due_at: secondsAgo(-20),
      window_ends_at: endsAt,
    })
  }
  // their windows have ended
  for (const dueAt of [secondsAgo(10), secondsAgo(20)])
    await due({ due_at: dueAt, window_ends_at: secondsAgo(10) })

  const limits = { ...someLimits, turnLength: 4, callsPerOriginMax: 1, lastCallsFactor: 1 }
  const { callbacks } = await takeOnce(pool, { limits })

  expect(callbacks.map(({ printJobKey }) => printJobKey)).toEqual([
    callbacks[0]!.printJobKey,
    jobOf.first,
  ])
})

test('a turn whose answer was lost is given back with the next pass', async () => {
  await due()
  const newBatch = () => '0190a5b2-0000-7000-8000-000000000001'
  await takeOnce(pool, { newBatch })

  await takeOnce(pool, { ended: { batches: [newBatch()], kept: [] } })

  expect(await takeIds(pool)).toHaveLength(1)
})

test('a turn with few calls left makes room for another', async () => {
  for (let index = 0; index < 40; index++) await due({ due_at: secondsAgo(100 - index) })
  const limits = { ...someLimits, turnLength: 2 }
  const { callbacks } = await takeOnce(pool, { limits })
  expect(callbacks).toHaveLength(16)

  await recordCallbacks(
    pool,
    callbacks.slice(0, 13).map((taken) => aRecord(taken, { kind: 'delivered' })),
  )

  const next = await takeOnce(pool, { limits })
  expect(next.callbacks).toHaveLength(10)
  expect(next.callbacks[0]).toMatchObject({ atOnce: 5 })
})

test.each(['closed', 'open'] as const)(
  'a pass reads few callbacks of an origin with many, whose breaker is %s',
  async (breaker) => {
    const single = openDatabase(url, { name: 'test', connectionsMax: 1, pipeline: true })
    onTestFinished(() => single.close())
    await db
      .insertInto('callback_origin')
      .values({
        origin: 'https://example.com',
        breaker,
        breaker_until: breaker === 'open' ? secondsAhead(60) : null,
      })
      .execute()
    await sql`
    insert into callback (id, consumer_id, kind, sequence, body, origin, due_at)
    select gen_random_uuid(), ${seed.consumerId}, 'test', 1, '', 'https://example.com', now() - number * interval '1 ms'
    from generate_series(1, 5000) as known (number)`.execute(db)
    // those that were delivered had windows, so the planner expects that some of these have one
    await sql`
    insert into callback (id, consumer_id, kind, sequence, body, origin, state, attempts, window_ends_at, ended_at)
    select gen_random_uuid(), ${seed.consumerId}, 'test', 1, '', 'https://example.com', 'DELIVERED', 1, now(), now()
    from generate_series(1, 10000) as known (number)`.execute(db)
    await sql`analyze callback`.execute(db)
    const rowsRead = async () => {
      await single.pool.query('select pg_stat_force_next_flush()')
      const { rows } = await single.pool.query<{ count: number }>(
        `select seq_tup_read + idx_tup_fetch as count from pg_stat_user_tables where relname = 'callback'`,
      )
      return rows[0]!.count
    }
    const before = await rowsRead()

    const { callbacks } = await takeOnce(single.pool, { free: 8 })

    expect(callbacks).toHaveLength(breaker === 'open' ? 0 : 8)
    expect((await rowsRead()) - before).toBeLessThan(500)
  },
)

test('an origin with an open breaker gets its probe only', async () => {
  for (let index = 0; index < 4; index++) await due()
  await db
    .insertInto('callback_origin')
    .values({ origin: 'https://example.com', breaker: 'open', breaker_until: secondsAgo(1) })
    .execute()

  expect(await takeIds(pool, { limits: { ...someLimits, turnLength: 4 } })).toHaveLength(1)
})

test('turns that have ended are deleted, and those with few callbacks left are shortened', async () => {
  for (const origin of ['https://one', 'https://two']) {
    await due({ origin })
    await due({ origin })
  }
  const { callbacks } = await takeOnce(pool)
  const [one, two] = [...Map.groupBy(callbacks, ({ batch }) => batch).values()]
  await recordCallbacks(
    pool,
    [...one!, two![0]!].map((taken) => aRecord(taken, { kind: 'delivered' })),
  )

  const batches = [one![0]!.batch]
  const kept = [{ batch: two![0]!.batch, callbacks: [two![1]!] }]
  expect(await takeIds(pool, { ended: { batches, kept } })).toEqual([])

  expect(await turns()).toMatchObject([{ subjects: [two![1]!.id] }])
})

test('walks many origins in several passes, without missing one', async () => {
  const ids: string[] = []
  for (let index = 0; index < 310; index++) ids.push(await due({ origin: `https://${index}` }))

  const taken: string[] = []
  let take = await takeOnce(pool, { free: 40 })
  for (let passes = 0; passes < 20 && take.callbacks.length > 0; passes++) {
    taken.push(...take.callbacks.map(({ id }) => id))
    take = await takeOnce(pool, { free: 40, originAfter: take.originAfter })
  }

  expect(taken.toSorted()).toEqual(ids.toSorted())
})

test('many due callbacks of one print job do not hide those of another', async () => {
  const key = await seed.printJob()
  for (let sequence = 1; sequence <= 40; sequence++) {
    await seed.callback({ print_job_key: key, sequence, due_at: secondsAgo(100) })
  }
  const other = await due({ due_at: secondsAgo(1) })

  const taken = await takeIds(pool)

  expect(taken).toHaveLength(2)
  expect(taken).toContain(other)
})
