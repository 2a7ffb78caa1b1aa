import { randomUUID } from 'node:crypto'
import type { Service } from '@despatch/http/service'
import { openQueues } from '@despatch/queue/open-queues'
import { openDatabase } from '@despatch/store/database'
import { createLogger } from '@despatch/telemetry/logger'
import { Counter, createMetrics } from '@despatch/telemetry/metrics'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { insertConsumer, someStandardParams } from '@despatch/testing/print-job-builders'
import { queueBackends } from '@despatch/testing/queue-backends'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpsConsoleConfig } from '../src/config.ts'
import { createOpsConsole } from '../src/service.ts'

const clone = await cloneDatabase()
const { db, close: closeDatabase } = openDatabase(clone.url, { name: 'test', connectionsMax: 4 })
const log = createLogger({ service: 'ops-console', level: 'silent' })
const config: OpsConsoleConfig = {
  DATABASE_URL: clone.url,
  HOST: '127.0.0.1',
  PORT: 0,
  LOG_LEVEL: 'silent',
}
const someone = { ...someStandardParams, recipientName: 'Ms Recipient Name' }

beforeAll(async () => {
  const { consumerId, contractId } = await insertConsumer(db)
  const printJob = {
    consumer_id: consumerId,
    contract_id: contractId,
    status: 'VALIDATING' as const,
    standard_params: JSON.stringify(someone),
    callback_params: JSON.stringify({ target: 'https://example.com/?token=SECRET' }),
    callback_statuses: ['REJECTED' as const],
    correlation_id: 'correlation-1',
    request_fingerprint: Buffer.alloc(32),
  }
  const rejectedKey = randomUUID()
  await db
    .insertInto('print_job')
    .values([
      { ...printJob, key: randomUUID(), id: 'letter-fine', status: 'QUARANTINE' },
      {
        ...printJob,
        key: randomUUID(),
        id: 'letter-parked',
        step_failures: 8,
        step_failure: '<b>TimeoutError</b>',
        parked_at: new Date(Date.now() - 7_300_000),
      },
      { ...printJob, key: rejectedKey, id: 'letter-rejected', status: 'REJECTED' },
    ])
    .execute()
  const callback = {
    consumer_id: consumerId,
    print_job_key: rejectedKey,
    sequence: 1,
    body: Buffer.from('{}'),
    origin: 'https://example.com:443',
  }
  const dead = { state: 'DEAD', end_reason: 'gone', ended_at: new Date() } as const
  await db
    .insertInto('callback')
    .values([
      { ...callback, id: randomUUID(), ...dead, kind: 'status', status: 'REJECTED' },
      { ...callback, id: randomUUID(), ...dead, sequence: 2, kind: 'return', status: 'REJECTED' },
      { ...callback, id: randomUUID(), ...dead, print_job_key: null, kind: 'test' },
      {
        ...callback,
        id: randomUUID(),
        sequence: 3,
        kind: 'status',
        status: 'REJECTED',
        owed_since: new Date(Date.now() - 7_300_000),
        due_at: new Date(Date.now() + 30_000),
      },
    ])
    .execute()
  await db
    .insertInto('callback_origin')
    .values({
      origin: callback.origin,
      breaker: 'open',
      breaker_until: new Date(Date.now() + 30_000),
    })
    .execute()
})

afterAll(async () => {
  await closeDatabase()
  await clone.drop()
})

async function aConsole(given: Partial<OpsConsoleConfig> = {}, extra = {}): Promise<Service> {
  return createOpsConsole({ ...config, ...given }, { log, ...extra })
}

describe('the page', () => {
  let service: Service
  let page: string

  beforeAll(async () => {
    service = await aConsole()
    page = (await service.api.inject({ url: '/' })).body
  })
  afterAll(() => service.close())

  test('says what needs a look, with the failing steps and the callbacks given up', () => {
    expect(textOf(page)).toContain('Parked print jobs: 1, the first 2 h ago.')
    expect(textOf(page)).toContain('Callbacks given up in the last day: 3.')
    expect(textOf(page)).toContain(
      'Places that callbacks do not get through to: 1, a callback waits for 2 h.',
    )
    expect(textOf(page)).toContain('letter-parked VALIDATING')
    expect(textOf(page)).toContain('letter-rejected REJECTED 0 not tried gone')
    expect(textOf(page)).toContain('letter-rejected return 0 not tried gone')
    expect(textOf(page)).toContain('– test 0 not tried gone')
  })

  test('counts by status', () => {
    expect(textOf(page)).toMatch(/QUARANTINE 1 \d+ s VALIDATING 1 \d+ s PENDING 0 –/)
  })

  test('escapes what it shows', () => {
    expect(page).toContain('&#60;b&#62;TimeoutError&#60;/b&#62;')
  })

  test('shows no name, no address, no target', () => {
    expect(page).not.toMatch(/Recipient Name|High Street|AB1 2CD|example\.com|SECRET/)
  })

  test('loads nothing from elsewhere, and runs only its own script', async () => {
    const { headers } = await service.api.inject({ url: '/' })

    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'/,
    )
    expect(headers['cache-control']).toBe('no-store')
  })

  test('has a caption and headings for every table', () => {
    const tables = page.split('<table>').slice(1)

    expect(tables).toHaveLength(6)
    for (const table of tables) {
      expect(table).toMatch(/^<caption>[^<]+<\/caption><thead><tr><th scope="col">/)
    }
  })
})

test('metrics hold the overview and what other services of the process count', async () => {
  const other = createMetrics('intake')
  new Counter({ name: 'things_total', help: 'Things', registers: [other] }).inc(3)
  const service = await aConsole({}, { extraMetrics: [other] })

  const { body, headers } = await service.api.inject({ url: '/metrics' })

  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(body).toContain('things_total{service="intake"} 3')
  expect(body).toContain('print_jobs{status="QUARANTINE",service="ops-console"} 1')
  expect(body).toContain('print_jobs_parked{service="ops-console"} 1')
  expect(body).toContain('outbox_tasks{when="due",service="ops-console"} 0')
  expect(body).toContain('callbacks_due{service="ops-console"} 1')
  expect(body).toContain('callbacks_late_seconds{service="ops-console"} 0')
  expect(body).toContain('callbacks_dead_last_day{service="ops-console"} 3')
  expect(body).toContain('callback_breakers_open{service="ops-console"} 1')
  expect(body).toMatch(/^callback_breakers_open_oldest_seconds\{service="ops-console"\} 73\d\d/m)
  expect(body).toContain('printing_waiting{what="unroutable",service="ops-console"} 0')
  expect(body).toContain('printing_waiting_oldest_seconds{what="reprints",service="ops-console"} 0')
  expect(body).toContain('overview_readable{service="ops-console"} 1')
  await service.close()
})

test('is ready, with its reasons', async () => {
  const service = await aConsole()

  const answer = await service.api.inject({ url: '/health/ready' })

  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    {
      status: 'ready',
      checks: [
        { name: 'database', ok: true },
        { name: 'queues', ok: true },
      ],
    },
  ])
  await service.close()
})

test('without a database the page says so, metrics show it, and it is not ready', async () => {
  const service = await aConsole({
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    QUEUE_URL: clone.url,
  })

  const page = await service.api.inject({ url: '/' })
  const metrics = await service.api.inject({ url: '/metrics' })
  const ready = await service.api.inject({ url: '/health/ready' })

  expect(page.statusCode).toBe(200)
  expect(page.body).toContain('The database does not answer')
  expect(metrics.body).toContain('overview_readable{service="ops-console"} 0')
  expect(metrics.body).not.toMatch(/^print_jobs_parked\{/m)
  expect([ready.statusCode, ready.json().checks]).toEqual([
    503,
    [
      { name: 'database', ok: false, reason: 'ECONNREFUSED' },
      { name: 'queues', ok: true },
    ],
  ])
  await service.close()
})

describe.each(queueBackends)('the queue board on $name', ({ url }) => {
  let service: Service
  const queues = openQueues({ url, onError: () => {} })

  beforeAll(async () => {
    service = await aConsole({ QUEUE_URL: url })
    await queues.enqueue('callback', [{ subject: randomUUID(), epoch: 1 }])
  })
  afterAll(async () => {
    await service.close()
    await queues.close()
  })

  test('shows every queue with its tasks', async () => {
    const page = await service.api.inject({ url: '/queues' })
    const answer = await service.api.inject({ url: '/queues/api/queues?activeQueue=callback' })

    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('<base href="/queues/" />')
    expect(page.headers['content-security-policy']).toContain("default-src 'self'")
    expect(answer.statusCode).toBe(200)
    expect(
      answer
        .json()
        .queues.map(({ name, readOnlyMode, counts }: BoardQueue) => [
          name,
          readOnlyMode,
          counts.waiting,
        ]),
    ).toEqual([
      ['quarantine', true, 0],
      ['validate', true, 0],
      ['callback', true, 1],
    ])
  })

  test('serves the script of its page', async () => {
    const page = await service.api.inject({ url: '/queues' })
    const script = /src="(static\/js\/main[^"]+)"/.exec(page.body)?.[1]

    expect((await service.api.inject({ url: `/queues/${script}` })).statusCode).toBe(200)
  })

  const writes = [
    ['PUT', '/queues/api/queues/callback/pause'],
    ['PUT', '/queues/api/queues/callback/empty'],
    ['POST', '/queues/api/queues/callback/add'],
    ['PUT', '/queues/api/queues/callback/obliterate'],
  ] as const

  test.for(writes)('refuses %s %s', async ([method, target]) => {
    const answer = await service.api.inject({ method, url: target })

    expect(answer.statusCode).toBe(405)
    expect((await queues.counts()).find(({ name }) => name === 'callback')?.waiting).toBe(1)
  })

  test('the page counts its tasks', async () => {
    const { body } = await service.api.inject({ url: '/' })

    expect(textOf(body)).toContain('callback 1 0 0')
  })
})

type BoardQueue = { name: string; readOnlyMode: boolean; counts: { waiting: number } }

/** What a reader sees: the text between tags, with single spaces. */
function textOf(page: string): string {
  return page
    .replace(/<(script|style)>.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ \./g, '.')
}
