import { aDatabase } from '@despatch/testing/a-database'
import { secondsAgo, seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import type { CallbackFilter } from '../src/callback/filter.ts'
import { findCallback, listCallbackAttempts, listCallbackPage } from '../src/callback/list.ts'
import { countReplayable } from '../src/callback/replay.ts'

const { db } = await shared(aDatabase())
const ids: Record<string, string> = {}
const nameOf = (id: string) => Object.keys(ids).find((name) => ids[name] === id)

const mine = await seeder(db)
const theirs = await seeder(db)
const key = await mine.printJob({ id: 'job-1' })
const theirKey = await theirs.printJob({ id: 'job-1' })
const origin = 'https://another.example'
ids.delivered = await mine.callback({
  print_job_key: await mine.printJob(),
  state: 'DELIVERED',
  ended_at: new Date(),
  created_at: new Date('2026-03-01T10:00:00Z'),
})
ids.dead = await mine.callback({
  print_job_key: await mine.printJob(),
  state: 'DEAD',
  end_reason: 'refused',
  ended_at: new Date(),
  origin,
  created_at: new Date('2026-03-02T10:00:00Z'),
})
ids.due = await mine.callback({ print_job_key: key, sequence: 1 })
ids.held = await mine.callback({
  print_job_key: key,
  sequence: 2,
  origin,
})
await mine.underWay(ids.held, secondsAgo(-60))
ids.waiting = await mine.callback({
  print_job_key: await mine.printJob(),
  state: 'WAITING',
  strict_contract_id: mine.contractId,
})
ids.test = await mine.callback({
  print_job_key: null,
  kind: 'test',
  state: 'DEAD',
  end_reason: 'gone',
  ended_at: new Date(),
})
ids.theirs = await theirs.callback({ print_job_key: theirKey })
ids.theirDead = await theirs.callback({
  print_job_key: await theirs.printJob(),
  state: 'DEAD',
  end_reason: 'refused',
  ended_at: new Date(),
  origin,
})

const all = ['theirDead', 'theirs', 'test', 'waiting', 'held', 'due', 'dead', 'delivered']
const ofMine = all.slice(2)
const filters: [filter: CallbackFilter, everybodys: string[], mine: string[]][] = [
  [{}, all, ofMine],
  [{ status: 'DUE' }, ['theirs', 'held', 'due'], ['held', 'due']],
  [{ status: 'WAITING' }, ['waiting'], ['waiting']],
  [{ status: 'OPEN' }, ['theirs', 'waiting', 'held', 'due'], ['waiting', 'held', 'due']],
  [{ status: 'DELIVERED' }, ['delivered'], ['delivered']],
  [{ status: 'DEAD' }, ['theirDead', 'test', 'dead'], ['test', 'dead']],
  [{ reason: 'refused' }, ['theirDead', 'dead'], ['dead']],
  [{ status: 'DUE', reason: 'refused' }, [], []],
  [{ origin }, ['theirDead', 'held', 'dead'], ['held', 'dead']],
  [{ origin, status: 'DEAD' }, ['theirDead', 'dead'], ['dead']],
  [{ origin, status: 'DUE' }, ['held'], ['held']],
  [{ origin, status: 'OPEN' }, ['held'], ['held']],
  [{ jobId: 'job-1', status: 'OPEN' }, ['theirs', 'held', 'due'], ['held', 'due']],
  [{ jobId: 'job-1' }, ['theirs', 'held', 'due'], ['held', 'due']],
  [{ jobId: 'job-1', status: 'DUE', origin }, ['held'], ['held']],
  [{ jobId: 'unknown' }, [], []],
  [{ createdTo: new Date('2026-03-02T10:00:00Z') }, ['delivered'], ['delivered']],
  [
    { createdFrom: new Date('2026-03-01T10:00:00Z'), createdTo: new Date('2026-03-03T00:00:00Z') },
    ['dead', 'delivered'],
    ['dead', 'delivered'],
  ],
  // each of these is read in its own way
  [{ status: 'DUE', createdFrom: new Date('2999-01-01') }, [], []],
  [{ status: 'OPEN', createdTo: new Date('2026-03-01') }, [], []],
  [{ jobId: 'job-1', createdFrom: new Date('2999-01-01') }, [], []],
  [
    { origin, status: 'DEAD', createdFrom: new Date('2026-03-02T10:00:00.001Z') },
    ['theirDead'],
    [],
  ],
  [{ origin, status: 'DEAD', createdTo: new Date('2026-03-02T10:00:00.001Z') }, ['dead'], ['dead']],
]

test.for(filters)('lists callbacks by %j', async ([filter, everybodys, ofOne]) => {
  const list = async (given: CallbackFilter) =>
    (await listCallbackPage(db, given, { callbacksMax: 20 })).map(({ callbackId }) =>
      nameOf(callbackId),
    )

  expect(await list(filter)).toEqual(everybodys)
  expect(await list({ ...filter, consumerId: mine.consumerId })).toEqual(ofOne)
})

test.for(filters.filter(([{ status }]) => status))(
  'counts callbacks by %j',
  async ([filter, everybodys]) => {
    const { count } = await countReplayable(db, filter)

    expect(count).toBe(everybodys.filter((name) => name !== 'held').length)
  },
)

test.for([
  {},
  { status: 'DEAD' },
  { status: 'DUE' },
  { status: 'OPEN' },
  { jobId: 'job-1' },
  { origin, status: 'DEAD' },
] as const)(
  'lists callbacks of %j page by page, without repetitions or omissions',
  async (filter) => {
    const whole = await listCallbackPage(db, filter, { callbacksMax: 20 })

    const paged: typeof whole = []
    for (let page = 0; page < whole.length + 1; page++) {
      const before = paged.at(-1)?.position
      paged.push(...(await listCallbackPage(db, filter, { before, callbacksMax: 1 })))
    }

    expect(paged).toEqual(whole)
  },
)

test('finds a callback with its body, but only for its consumer', async () => {
  const found = await findCallback(db, { consumerId: mine.consumerId }, ids.dead!)

  expect(found).toEqual({
    callbackId: ids.dead,
    position: expect.any(Number),
    consumerId: mine.consumerId,
    userName: expect.stringMatching(/^consumer-/),
    jobId: expect.any(String),
    sequence: 1,
    kind: 'status',
    jobStatus: 'REJECTED',
    status: 'DEAD',
    reason: 'refused',
    origin,
    attempts: 0,
    replays: 0,
    createdAt: new Date('2026-03-02T10:00:00Z'),
    nextAttemptAt: null,
    windowEndsAt: null,
    endedAt: expect.any(Date),
    message: Buffer.from('{}'),
  })
  expect(await findCallback(db, {}, ids.dead!)).toEqual(found)
  expect(await findCallback(db, { consumerId: theirs.consumerId }, ids.dead!)).toBeUndefined()
  expect(await findCallback(db, {}, ids.test!)).toMatchObject({ kind: 'test', jobId: null })
})

test('lists every attempt of the callback, in order', async () => {
  const at = new Date('2026-03-02T10:00:00.123Z')
  const attempt = { callback_id: ids.dead!, planned_at: at, started_at: at, duration_ms: 5 }
  await db
    .insertInto('callback_attempt')
    .values([
      { ...attempt, number: 2, outcome: 'refused', http_status: 404, answer: Buffer.from('no') },
      { ...attempt, number: 1, outcome: 'timeout', failure: 'ETIMEDOUT', next_at: at },
      { ...attempt, number: 3, outcome: 'refused', callback_id: ids.theirDead! },
    ])
    .execute()

  const times = { plannedAt: at, startedAt: at, durationMs: 5, address: null }
  expect(await listCallbackAttempts(db, ids.dead!)).toEqual([
    {
      ...times,
      number: 1,
      outcome: 'timeout',
      httpStatus: null,
      failure: 'ETIMEDOUT',
      answer: null,
      detail: expect.any(String),
      nextAttemptAt: at,
    },
    {
      ...times,
      number: 2,
      outcome: 'refused',
      httpStatus: 404,
      failure: null,
      answer: Buffer.from('no'),
      detail: expect.stringContaining('404'),
      nextAttemptAt: null,
    },
  ])
})
