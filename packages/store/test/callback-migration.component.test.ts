import { randomBytes, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'

const migrations = new URL('../migrations/', import.meta.url)
const tested = '0013_callback_product.sql'
const { postgresUrl } = inject('infra')
const name = `test_${randomBytes(6).toString('hex')}`
let client: pg.Client

beforeAll(async () => {
  await run(`create database ${name}`)
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  client = new pg.Client({ connectionString: url.href })
  await client.connect()
  for (const file of (await readdir(migrations)).sort()) {
    if (file < tested) await apply(file)
  }
  await seedBefore()
  await apply(tested)
})

afterAll(async () => {
  await client.end()
  await run(`drop database ${name}`)
})

async function run(statement: string) {
  const admin = new pg.Client({ connectionString: postgresUrl })
  await admin.connect()
  await admin.query(statement)
  await admin.end()
}

async function apply(file: string) {
  await client.query('begin')
  await client.query(await readFile(new URL(file, migrations), 'utf8'))
  await client.query('commit')
}

const consumerId = randomUUID()
const contractId = randomUUID()
const keys: Record<string, string> = {}
const ids: Record<string, string> = {}

async function seedBefore() {
  await client.query(
    `insert into consumer (id, name, user_name, password_hash, password_expires_on, api_key_prefix, api_key_hash,
       api_key_expires_on, roles)
     values ($1, 'A consumer', 'consumer', 'none', '2999-12-31', 'none', '\\x00', '2999-12-31', '{consumer}')`,
    [consumerId],
  )
  await client.query(
    `insert into contract (id, consumer_id, job_type, template_reference, production, callback_statuses)
     values ($1, $2, 'LETTER', 'LETTER', 'letter', '{DESPATCHED}')`,
    [contractId, consumerId],
  )
  await printJob('upper', '{"target":"HTTPS://Consumer.Example:8443/a?token=B","retryParams":{}}')
  await printJob('retried', '{"target":"https://c.example","retryParams":{"enabled":true}}')
  await printJob('unreadable', '{"target":"https://user:word@c.example/x"}')
  await printJob('too-long', `{"target":"https://${'ab.'.repeat(900)}c/x"}`)
  await printJob('none', null)
  await callback('due', 'upper', 1, 'DUE', 0)
  await callback('retrying', 'retried', 1, 'DUE', 2)
  await attempt('retrying', 2, 'unreached', null)
  await callback('delivered', 'upper', 2, 'DELIVERED', 1)
  await attempt('delivered', 1, 'delivered', 204)
  const abandoned = [
    ['refused', 'retried', 'answered', 404],
    ['gone', 'retried', 'answered', 410],
    ['redirected', 'upper', 'answered', 302],
    ['unsendable', 'unreadable', 'unsendable', null],
    ['window-ended', 'retried', 'answered', 503],
    ['retries-off', 'upper', 'fault', null],
  ] as const
  for (const [index, [id, job, outcome, status]] of abandoned.entries()) {
    await callback(id, job, 3 + index, 'ABANDONED', 1)
    await attempt(id, 1, outcome, status)
  }
  await callback('never', 'retried', 9, 'ABANDONED', 0)
  await callback('never delivered', 'retried', 10, 'DUE', 0)
}

async function printJob(job: string, callbackParams: string | null) {
  keys[job] = randomUUID()
  await client.query(
    `insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_params,
       callback_statuses, correlation_id, request_fingerprint)
     values ($1, $2, $3, 'QUARANTINE', $4, '{}', $5, '{DESPATCHED}', 'c', '\\x00')`,
    [keys[job], consumerId, job, contractId, callbackParams],
  )
}

async function callback(
  id: string,
  job: string,
  sequence: number,
  state: string,
  attempts: number,
) {
  ids[id] = randomUUID()
  await client.query(
    `insert into callback (id, print_job_key, sequence, status, body, state, attempts, created_at, first_attempt_at,
       due_at, ended_at)
     values ($1, $2, $3, 'DESPATCHED', '{}', $4, $5, '2026-03-01T10:00:00Z',
       case when $5::integer > 0 then '2026-03-01T10:00:05Z'::timestamptz end,
       case when $4 = 'DUE' then '2026-03-01T11:00:00Z'::timestamptz end,
       case when $4 <> 'DUE' then '2026-03-01T12:00:00Z'::timestamptz end)`,
    [ids[id], keys[job], sequence, state, attempts],
  )
}

async function attempt(id: string, number: number, outcome: string, httpStatus: number | null) {
  await client.query(
    `insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, http_status)
     values ($1, $2, '2026-03-01T10:00:05Z', '2026-03-01T10:00:06Z', 5, $3, $4)`,
    [ids[id], number, outcome, httpStatus],
  )
}

test('every callback has its consumer, its origin, and the beginning of its round', async () => {
  const { rows } = await client.query(
    `select origin, owed_since, attempts_before, replays, window_ends_at from callback
     where consumer_id = $1 and id = any ($2) order by sequence, attempts`,
    [consumerId, [ids.due, ids.retrying, ids.unsendable]],
  )
  const common = {
    owed_since: new Date('2026-03-01T10:00:00Z'),
    attempts_before: 0,
    replays: 0,
    window_ends_at: null,
  }
  expect(rows).toEqual([
    { ...common, origin: 'https://consumer.example:8443' },
    { ...common, origin: 'https://c.example', window_ends_at: new Date('2026-03-01T13:00:05Z') },
    { ...common, origin: 'unreadable' },
  ])
})

const states = [
  ['due', 'DUE', null],
  ['retrying', 'DUE', null],
  ['delivered', 'DELIVERED', null],
  ['refused', 'DEAD', 'refused'],
  ['gone', 'DEAD', 'gone'],
  ['redirected', 'DEAD', 'retries-off'],
  ['unsendable', 'DEAD', 'unsendable'],
  ['window-ended', 'DEAD', 'window-ended'],
  ['retries-off', 'DEAD', 'retries-off'],
  ['never', 'DEAD', 'gone'],
  ['never delivered', 'DEAD', 'gone'],
] as const

test.for(states)('one that was %s is %s now, %s', async ([id, state, reason]) => {
  const { rows } = await client.query('select state, end_reason from callback where id = $1', [
    ids[id],
  ])

  expect(rows).toEqual([{ state, end_reason: reason }])
})

const outcomes = [
  ['retrying', 'connection_failed'],
  ['delivered', 'delivered'],
  ['refused', 'refused'],
  ['gone', 'gone'],
  ['redirected', 'redirect'],
  ['unsendable', 'unsendable'],
  ['window-ended', 'refused'],
  ['retries-off', 'dns_error'],
] as const

test.for(outcomes)('the attempt of %s has the outcome %s', async ([id, outcome]) => {
  const { rows } = await client.query(
    'select outcome from callback_attempt where callback_id = $1',
    [ids[id]],
  )

  expect(rows).toEqual([{ outcome }])
})

test('callbacks keep the order of their creation, and new ones follow', async () => {
  const { rows: before } = await client.query(
    'select array_agg(sequence order by position) from callback',
  )
  const { rows: added } = await client.query(
    `insert into callback (id, consumer_id, kind, sequence, origin, body, due_at)
     values ($1, $2, 'test', 1, 'https://c.example', '{}', now()) returning position`,
    [randomUUID(), consumerId],
  )

  expect(before).toEqual([{ array_agg: [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }])
  expect(added).toEqual([{ position: '12' }])
})

test('print jobs have their callback origin, and whether the consumer answered 410', async () => {
  const { rows } = await client.query(
    'select id, callback_origin, callback_gone_at from print_job order by id',
  )

  expect(rows).toEqual([
    { id: 'none', callback_origin: null, callback_gone_at: null },
    {
      id: 'retried',
      callback_origin: 'https://c.example',
      callback_gone_at: new Date('2026-03-01T10:00:06Z'),
    },
    { id: 'too-long', callback_origin: 'unreadable', callback_gone_at: null },
    { id: 'unreadable', callback_origin: 'unreadable', callback_gone_at: null },
    { id: 'upper', callback_origin: 'https://consumer.example:8443', callback_gone_at: null },
  ])
})
