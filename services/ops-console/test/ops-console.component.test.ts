import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createConsoleSessions } from '@despatch/access/console-session'
import { seedConsumer } from '@despatch/access/seed'
import type { Role } from '@despatch/domain/access/caller'
import type { Service } from '@despatch/http/service'
import { manageQueues } from '@despatch/queue/manage-queues'
import { openQueues } from '@despatch/queue/open-queues'
import { findConsumer } from '@despatch/store/access/consumers'
import { openDatabase } from '@despatch/store/database'
import { createLogger } from '@despatch/telemetry/logger'
import { Counter, createMetrics } from '@despatch/telemetry/metrics'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { insertConsumer, someStandardParams } from '@despatch/testing/print-job-builders'
import { queueBackends } from '@despatch/testing/queue-backends'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { OpsConsoleConfig } from '../src/config.ts'
import { createOpsConsole } from '../src/service.ts'

const clone = await cloneDatabase()
const { db, close: closeDatabase } = openDatabase(clone.url, { name: 'test', connectionsMax: 4 })
const log = createLogger({ service: 'ops-console', level: 'silent' })
const secretKeyHex = 'ab'.repeat(32)
const config: OpsConsoleConfig = {
  DATABASE_URL: clone.url,
  DESPATCH_SECRET_KEY: secretKeyHex,
  DESPATCH_SECRET_KEY_PREVIOUS: [],
  HOST: '127.0.0.1',
  PORT: 0,
  LOG_LEVEL: 'silent',
}
const someone = { ...someStandardParams, recipientName: 'Ms Recipient Name' }

let cookie: string
beforeAll(async () => {
  cookie = await signedIn('operator')
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

/** The cookie of a user with that role who has signed in. */
async function signedIn(role: Role, now = () => new Date()): Promise<string> {
  const id = await seedConsumer(db, {
    userName: `the ${role}`,
    name: 'Somebody',
    password: 'as long as it has to be aA1',
    apiKey: `key of ${role}`,
    roles: [role],
    contracts: [],
  })
  const sessions = createConsoleSessions({ db, secretKeyHex, now })
  return sessions.begin((await findConsumer(db, id))!, { isSecure: false }).cookie.split(';', 1)[0]!
}

describe('the pages', () => {
  let service: Service
  const get = (url: string, headers: Record<string, string> = { cookie }) =>
    service.api.inject({ url, headers })

  beforeAll(async () => {
    service = await aConsole()
  })
  afterAll(() => service.close())

  test.for(['/', '/callbacks', '/print-runs', '/consumers', '/print-jobs', '/print-job'])(
    '%s is for operators',
    async (path) => {
      const page = await get(path)
      const strangers = [{}, { cookie: await signedIn('consumer') }, { cookie: `${cookie}A` }]

      expect([page.statusCode, page.headers['content-type']]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      for (const stranger of strangers) {
        const { statusCode, headers, body } = await get(path, stranger)
        expect([statusCode, headers.location, body]).toEqual([
          303,
          `/sign-in?next=${encodeURIComponent(path)}`,
          '',
        ])
      }
    },
  )

  test('somebody whose 8 hours are over is a stranger', async () => {
    const past = () => new Date(Date.now() - 8 * 60 * 60 * 1000)

    expect((await get('/', { cookie: await signedIn('admin', past) })).statusCode).toBe(303)
    expect((await get('/', { cookie: await signedIn('admin') })).statusCode).toBe(200)
  })

  test('signing in needs no session, and its page has no links to those of operators', async () => {
    const { statusCode, body } = await get('/sign-in', {})

    expect(statusCode).toBe(200)
    expect(body).not.toContain('<nav')
  })

  test.for([
    '/sign-in',
    '/',
    '/callbacks',
    '/print-runs',
    '/consumers',
    '/print-jobs',
    '/print-job',
  ])('%s loads what is there, from here alone, and lets no form go anywhere', async (path) => {
    const { body, headers } = await get(path)
    const files = [...body.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, file]) => file!)

    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\/| style="| on\w+="|<script>/)
    expect(files).toHaveLength(2)
    const unread = new Set(files)
    for (const file of unread) {
      const answer = await get(file, {})
      expect([file, answer.statusCode]).toEqual([file, 200])
      for (const [, name] of answer.body.matchAll(/from '\.\/([\w-]+\.js)'/g)) {
        unread.add(`/console/${name}`)
      }
    }
    expect(unread.size).toBeGreaterThan(3)
  })

  test('has a language, a title, one heading, landmarks, and a way past the links', async () => {
    const { body } = await get('/callbacks')

    expect(body).toContain('<html lang="en-GB">')
    expect(body).toContain('<title>Callbacks – Despatch operations</title>')
    expect(body.match(/<h1>/g)).toHaveLength(1)
    expect(body).toMatch(
      /<a class="skip" href="#main">.*<header>.*<nav aria-label=.*<main id="main"/s,
    )
    expect(body).toContain('<a href="/callbacks" aria-current="page">')
    expect(body).toContain('role="status" aria-live="polite"')
  })

  test('a browser that has a file is not sent it again', async () => {
    const first = await get('/console/style.css', {})
    const etag = String(first.headers.etag)
    const again = await get('/console/style.css', { 'if-none-match': etag })

    expect(first.headers['cache-control']).toBe('no-cache')
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  test('without a database the frame of a page is there, and the figures are not', async () => {
    const away = await aConsole({
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      QUEUE_URL: clone.url,
    })
    onTestFinished(() => away.close())

    const page = await away.api.inject({ url: '/', headers: { cookie } })
    const events = await away.api.inject({ url: '/events', headers: { cookie } })
    const board = await away.api.inject({ url: '/queues/api/queues', headers: { cookie } })

    expect([page.statusCode, events.statusCode, board.statusCode]).toEqual([200, 503, 401])
  })
})

describe('the events', () => {
  test('tell operators what needs a look, with the failing steps and the callbacks given up', async () => {
    const facts = await firstFacts(await listening())

    expect(facts.concerns.map(({ what }: { what: string }) => what)).toEqual([
      'Parked print jobs: 1, the first 2 h ago',
      'Places that callbacks do not get through to: 1, a callback waits for 2 h',
      'Callbacks given up in the last day: 3',
    ])
    expect(facts.figures.printJobs[0]).toMatchObject({ status: 'QUARANTINE', count: 1 })
    expect(facts.failingSteps).toMatchObject([
      { printJobId: 'letter-parked', failure: '<b>TimeoutError</b>', isParked: true },
    ])
    expect(
      facts.deadCallbacks.map(({ printJobId, kind }: Record<string, string>) => [printJobId, kind]),
    ).toEqual(
      expect.arrayContaining([
        ['letter-rejected', 'status'],
        ['letter-rejected', 'return'],
        [null, 'test'],
      ]),
    )
    expect(facts.failingOrigins).toMatchObject([
      { origin: 'https://example.com:443', breaker: 'open' },
    ])
    expect(facts.flow).toHaveLength(60)
    expect(facts.runs).toEqual([])
    expect(facts.queues).toMatchObject([
      { name: 'quarantine', waiting: 0 },
      { name: 'validate', waiting: 0 },
      { name: 'callback', waiting: 0 },
    ])
    expect(JSON.stringify(facts)).not.toMatch(/Recipient Name|High Street|AB1 2CD|SECRET/)
  })

  test('401 for everybody else', async () => {
    const url = await listening()

    for (const headers of [{}, { cookie: await signedIn('consumer') }]) {
      expect((await fetch(`${url}/events`, { headers })).status).toBe(401)
    }
  })

  test('end when the service does', async () => {
    const service = await aConsole()
    const url = await service.api.listen({ host: '127.0.0.1', port: 0 })
    const answer = await fetch(`${url}/events`, { headers: { cookie } })

    await service.close()

    await expect(answer.text()).resolves.toContain('retry: 2000')
  })

  async function listening(): Promise<string> {
    const service = await aConsole()
    onTestFinished(() => service.close())
    return service.api.listen({ host: '127.0.0.1', port: 0 })
  }
})

test('hands on what pages ask of administration, saying who asked, where nothing in front does', async () => {
  const asked: unknown[] = []
  const administration = createServer(async (request, response) => {
    const { method, url, headers } = request
    asked.push([method, url, headers.cookie, headers['x-forwarded-for'], await text(request)])
    response.writeHead(201, { 'set-cookie': 'a=b; HttpOnly' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(administration, 'listening')
  onTestFinished(() => void administration.close())
  const { port } = administration.address() as AddressInfo
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const service = await aConsole(
    { DESPATCH_ADMINISTRATION_URL: `http://127.0.0.1:${port}` },
    { log: createLogger({ service: 'ops-console', destination }) },
  )
  onTestFinished(() => service.close())

  const answer = await service.api.inject({
    method: 'POST',
    url: '/administration/v1/sessions?a=1',
    headers: { cookie: 'c=d', 'content-type': 'application/json' },
    body: '{"userName":"u"}',
  })

  expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([201, ['a=b; HttpOnly']])
  expect(asked).toEqual([
    ['POST', '/administration/v1/sessions?a=1', 'c=d', '127.0.0.1', '{"userName":"u"}'],
  ])
  // the one line of the request tells its route: an address may hold what somebody looks for
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'request.served', route: '/administration/*' },
  ])
  expect(lines.join()).not.toContain('sessions')
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

test('without a database metrics show it, and it is not ready', async () => {
  const service = await aConsole({
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    QUEUE_URL: clone.url,
  })

  const metrics = await service.api.inject({ url: '/metrics' })
  const ready = await service.api.inject({ url: '/health/ready' })

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
    const page = await service.api.inject({ url: '/queues', headers: { cookie } })
    const answer = await service.api.inject({
      url: '/queues/api/queues?activeQueue=callback',
      headers: { cookie },
    })

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

  test('a paused queue needs a look, and what waits in it is counted', async () => {
    const managed = manageQueues({ url, onError: () => {} })
    onTestFinished(() => managed.close())
    onTestFinished(() => managed.resume('callback'))
    const looking = await aConsole({ QUEUE_URL: url })
    onTestFinished(() => looking.close())
    await managed.pause('callback')

    const facts = await firstFacts(await looking.api.listen({ host: '127.0.0.1', port: 0 }))

    expect(facts.queues).toMatchObject([
      { name: 'quarantine', isPaused: false, waiting: 0 },
      { name: 'validate', isPaused: false, waiting: 0 },
      { name: 'callback', isPaused: true, waiting: 1 },
    ])
    expect(facts.concerns[0]).toMatchObject({ what: 'The queue callback is paused: 1 wait' })
  })

  test('serves the script of its page', async () => {
    const page = await service.api.inject({ url: '/queues', headers: { cookie } })
    const script = /src="(static\/js\/main[^"]+)"/.exec(page.body)?.[1]

    expect(
      (await service.api.inject({ url: `/queues/${script}`, headers: { cookie } })).statusCode,
    ).toBe(200)
  })

  const writes = [
    ['PUT', '/queues/api/queues/callback/pause'],
    ['PUT', '/queues/api/queues/callback/empty'],
    ['POST', '/queues/api/queues/callback/add'],
    ['PUT', '/queues/api/queues/callback/obliterate'],
  ] as const

  test.for(writes)('refuses %s %s', async ([method, target]) => {
    const answer = await service.api.inject({ method, url: target, headers: { cookie } })

    expect(answer.statusCode).toBe(405)
    expect((await queues.counts()).find(({ name }) => name === 'callback')?.waiting).toBe(1)
  })

  test('is for operators', async () => {
    const accept = 'text/html,*/*'
    const page = await service.api.inject({ url: '/queues', headers: { accept } })
    const script = await service.api.inject({ url: '/queues/api/queues' })

    expect([page.statusCode, page.headers.location]).toEqual([303, '/sign-in?next=%2Fqueues'])
    expect([script.statusCode, script.json()]).toEqual([
      401,
      { errors: [{ status: '401', code: 'Unauthorized', detail: 'Sign in to the console' }] },
    ])
  })
})

type BoardQueue = { name: string; readOnlyMode: boolean; counts: { waiting: number } }

/** What the events tell first. */
async function firstFacts(url: string) {
  const leave = new AbortController()
  const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(10_000)])
  const answer = await fetch(`${url}/events`, { headers: { cookie }, signal })
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  let text = ''
  for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += part
    const [, data] = /^event: facts\ndata: (.*)\n\n/m.exec(text) ?? []
    if (data === undefined) continue
    leave.abort()
    return JSON.parse(data)
  }
}
