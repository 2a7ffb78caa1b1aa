import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ConsumerClient } from './consumer-client.ts'
import type { DespatchError } from './despatch-error.ts'
import type { PrintJobRequest } from './print-job.ts'
import { type ClientOptions, openSession } from './session.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Sent = { path: string; method: string; headers: Headers; body: string | undefined }
type Answer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | 'no answer'
  | Error

const credential = { userName: 'ada', password: 'pass phrase', apiKey: 'the key' }
const ok = (body: unknown = {}): Answer => ({ status: 200, body })

/** A session and a client whose API signs everybody in, and gives the answers in turn to other requests. */
function aSession(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = []
  let tokens = 0
  const fetch = async (input: URL | string | Request, init?: RequestInit) => {
    const { pathname: path, search } = new URL(String(input))
    const { method = 'GET', headers, body } = init ?? {}
    sent.push({ path: path + search, method, headers: new Headers(headers), body: body as string })
    const isSignIn = path.endsWith('/authenticate')
    const answer = isSignIn ? ok({ 'id-token': `token ${++tokens}` }) : (answers.shift() ?? ok())
    await Promise.resolve()
    if (answer instanceof Error) throw answer
    if (answer === 'no answer')
      throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
    return new Response(JSON.stringify(answer.body), { ...answer })
  }
  const given = { baseUrl: 'https://a.example/gw/', ...credential, fetch, ...options }
  const calls = () => sent.filter(({ path }) => !path.endsWith('/authenticate'))
  return { session: openSession(given), client: new ConsumerClient(given), sent, calls }
}

/** Lets all pauses pass, and returns the result. */
async function inTime<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  await vi.runAllTimersAsync()
  return promise
}

const refusal = (detail: string, status: number) => ({
  status,
  body: { errors: [{ status: `${status} NO`, code: 'C', detail }] },
})

test('calls that begin together sign in once, and send the token and the API key', async () => {
  const { session, sent, calls } = aSession([])

  await inTime(Promise.all([session.call('GET', '/a'), session.call('GET', '/b')]))

  expect(sent.map(({ path }) => path)).toEqual([
    '/gw/thirdparty-access/v1/authenticate',
    '/gw/a',
    '/gw/b',
  ])
  expect(Object.fromEntries(calls()[0]!.headers)).toEqual({
    authorization: 'Bearer token 1',
    'x-api-key': 'the key',
  })
})

test('calls that fail with the same expired token renew it once', async () => {
  const { session, sent, calls } = aSession([{ status: 401 }, { status: 401 }])

  await inTime(Promise.all([session.call('GET', '/a'), session.call('GET', '/b')]))

  expect(calls().map(({ headers }) => headers.get('authorization'))).toEqual([
    ...['Bearer token 1', 'Bearer token 1', 'Bearer token 2', 'Bearer token 2'],
  ])
  expect(sent).toHaveLength(6)
})

test('after a second 401 the call fails', async () => {
  const { session, calls } = aSession([refusal('no', 401), refusal('no', 401), ok()])

  await expect(inTime(session.call('GET', '/a'))).rejects.toMatchObject({ status: 401 })
  expect(calls()).toHaveLength(2)
})

test('a token is renewed before it expires', async () => {
  const claims = Buffer.from(JSON.stringify({ iat: 0, exp: 3_600 })).toString('base64url')
  const times: number[] = []
  const session = openSession({
    baseUrl: 'https://a.example',
    ...credential,
    fetch: async (input) => {
      if (String(input).endsWith('/authenticate')) times.push(Date.now())
      return new Response(JSON.stringify({ 'id-token': `a.${claims}.b` }))
    },
  })
  const began = Date.now()

  for (const minutes of [0, 58, 0.9, 0.2]) {
    vi.advanceTimersByTime(minutes * 60_000)
    await inTime(session.call('GET', '/a'))
  }

  expect(times.map((time) => Math.floor((time - began) / 60_000))).toEqual([0, 59])
})

test.for<[string, Answer]>([
  ['no answer', 'no answer'],
  ['a 500', { status: 500 }],
  ['a 503', { status: 503 }],
])(
  'after %s, the client repeats only calls that are safe to repeat, unchanged',
  async ([, answer]) => {
    const { session, calls } = aSession([answer, answer, ok(7), answer])

    const body = { a: 1 }
    const request = { body, idempotencyKey: 'k', correlationId: 'c' }
    expect(await inTime(session.call('POST', '/a', request))).toBe(7)
    await expect(inTime(session.call('POST', '/a', { body }))).rejects.toMatchObject({
      mayHaveTakenEffect: true,
    })

    expect(calls()).toHaveLength(4)
    expect(calls().map(({ body: sent }) => sent)).toEqual(Array(4).fill('{"a":1}'))
    const { headers } = calls()[2]!
    expect([headers.get('idempotency-key'), headers.get('x-correlation-id')]).toEqual(['k', 'c'])
  },
)

test('the client stops after its last attempt, and throws the last error', async () => {
  const { session, calls } = aSession(Array(9).fill('no answer'), { attemptsMax: 3 })

  await expect(inTime(session.call('GET', '/a'))).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'https://a.example does not answer (ECONNRESET)',
  })
  expect(calls()).toHaveLength(3)
})

test('every call waits after a 429, and then the client repeats even a POST without an idempotency key', async () => {
  const limited: Answer = { status: 429, headers: { 'retry-after': '7' } }
  const { session, calls } = aSession([limited])
  const began = Date.now()
  const ended: number[] = []
  const end = () => void ended.push(Date.now() - began)

  const first = session.call('POST', '/a').then(end)
  await vi.advanceTimersByTimeAsync(1_000)
  const second = session.call('GET', '/b').then(end)
  await vi.advanceTimersByTimeAsync(5_900)
  expect(calls()).toHaveLength(1)
  await inTime(Promise.all([first, second]))

  expect(ended).toEqual([7_000, 7_000])
})

test('a Retry-After of more than a minute fails the call immediately', async () => {
  const headers = { 'retry-after': '3600', 'x-correlation-id': 'c-1' }
  const { session } = aSession([{ ...refusal('later', 503), headers }])

  await expect(session.call('GET', '/a')).rejects.toMatchObject({
    kind: 'refused',
    status: 503,
    code: 'C',
    message: '503: later',
    retryAfterSeconds: 3_600,
    correlationId: 'c-1',
    problems: [{ status: '503 NO', code: 'C', detail: 'later' }],
  })
})

test('the client reads both error formats, and any other error body', async () => {
  const entry = { status: 400, code: 400, title: 'Malformed request', detail: 'x must not be null' }
  const { session } = aSession([
    { status: 400, body: [entry] },
    { status: 404, body: 'gone' },
    { status: 409, body: { errors: [null, { code: 'X' }] } },
  ])

  const first = await session.call('GET', '/a').catch((error: DespatchError) => error)
  expect(first).toMatchObject({
    message: '400: x must not be null',
    problems: [{ ...entry, status: '400', code: '400' }],
  })
  await expect(session.call('GET', '/a')).rejects.toMatchObject({ problems: [], code: undefined })
  await expect(session.call('GET', '/a')).rejects.toMatchObject({ message: '409: X', code: 'X' })
})

test('a call ends when its signal aborts, and other calls that wait for the same token continue', async () => {
  const { session } = aSession(['no answer', 'no answer', ok('late')])
  const leaving = new AbortController()

  const left = session.call('GET', '/a', { signal: leaving.signal })
  const stays = session.call('GET', '/b')
  leaving.abort(new Error('enough'))

  await expect(left).rejects.toThrow('enough')
  expect(await inTime(stays)).toBe('late')
  await expect(session.call('GET', '/c', { signal: leaving.signal })).rejects.toThrow('enough')

  const all = aSession([], { signal: leaving.signal })
  await expect(all.session.call('GET', '/a')).rejects.toThrow('enough')
})

test('a call without an answer fails with a timeout', async () => {
  const fetch = () => new Promise<Response>(() => {})
  const { session } = aSession([], { fetch, attemptsMax: 1, timeoutMs: 50 })

  await expect(inTime(session.call('GET', '/a'))).rejects.toMatchObject({ kind: 'timeout' })
})

test('waitForStatus ends at its deadline even when the server does not answer', async () => {
  const { client } = aSession([], { fetch: () => new Promise<Response>(() => {}) })
  const began = Date.now()

  const waiting = client.waitForStatus('x', { timeoutMs: 100 }).catch((error) => error)
  await vi.advanceTimersByTimeAsync(100)

  expect(await waiting).toMatchObject({
    kind: 'timeout',
    message: expect.stringContaining('x is of'),
  })
  expect(Date.now() - began).toBe(100)
})

test('waitForStatus ends when its signal aborts', async () => {
  const { client } = aSession([ok({ id: 'x', status: 'PENDING' })])
  const leaving = new AbortController()

  const left = client.waitForStatus('x', { signal: leaving.signal }).catch((error) => error)
  await vi.advanceTimersByTimeAsync(100)
  leaving.abort(new Error('enough'))

  expect(await left).toMatchObject({ message: 'enough' })
})

test('waitForStatus accepts a time limit longer than the longest timer', async () => {
  for (const timeoutMs of [2 ** 31, Number.POSITIVE_INFINITY]) {
    const { client } = aSession([
      ...[ok({ id: 'x', status: 'PENDING' }), ok({ id: 'x', status: 'PENDING' })],
      ok({ id: 'x', status: 'DESPATCHED' }),
    ])
    const waiting = client.waitForStatus('x', { timeoutMs }).catch((error) => error)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await waiting).toMatchObject({ status: 'DESPATCHED' })
  }
  const { client: slow } = aSession([], { fetch: () => new Promise<Response>(() => {}) })
  const timeoutMs = 2 ** 32
  const late = slow.waitForStatus('x', { timeoutMs }).catch((error) => error)
  const began = Date.now()
  await vi.advanceTimersByTimeAsync(timeoutMs)
  expect(await late).toMatchObject({ kind: 'timeout' })
  expect(Date.now() - began).toBe(timeoutMs)
})

test.for<[string, Partial<ClientOptions>]>([
  ['a key that no header can have', { apiKey: 'key\nwith a line break' }],
  ['no time', { timeoutMs: Number.NaN }],
  ['a time below 0', { timeoutMs: -1 }],
  ['no attempts', { attemptsMax: 0 }],
])(
  'the client refuses %s before it sends anything, and does not repeat the value',
  ([, options]) => {
    const open = () => openSession({ baseUrl: 'https://a.example', ...credential, ...options })

    expect(open).toThrow(TypeError)
    expect(open).toThrow(/^(?!.*with a)/)
  },
)

test('the client throws an error of the program unchanged, and does not retry', async () => {
  const { session, calls } = aSession([new ReferenceError('proxy is not defined')])
  const endless: { self?: unknown } = {}
  endless.self = endless

  await expect(inTime(session.call('GET', '/a'))).rejects.toThrow(ReferenceError)
  await expect(inTime(session.call('POST', '/a', { body: endless }))).rejects.toThrow(TypeError)
  const headers = { correlationId: 'a\nb' }
  await expect(inTime(session.call('GET', '/a', headers))).rejects.toThrow(/^correlationId must/)
  await expect(inTime(session.call('GET', 'a'))).rejects.toThrow('a path must begin with /')
  expect(calls()).toHaveLength(1)
})

test.for<[string, unknown, (client: ConsumerClient) => Promise<unknown>]>([
  ['id', { status: 'PENDING' }, (client) => client.submitPrintJob({} as PrintJobRequest)],
  ['status', [], (client) => client.waitForStatus('x')],
  ['printJobs', {}, (client) => client.listPrintJobs().next()],
  ['JSON object', undefined, (client) => client.getPrintJob('x')],
  ['url', { uploadId: 'u' }, (client) => client.uploadFile(new Uint8Array(1))],
])('an answer without a needed %s counts as lost', async ([member, body, call]) => {
  const answer = { status: 200, body }
  const { client, calls } = aSession([answer, answer], { attemptsMax: 2 })

  await expect(inTime(call(client))).rejects.toMatchObject({
    kind: 'unreachable',
    message: `an answer has no ${member}`,
    mayHaveTakenEffect: true,
  })
  expect(calls()).toHaveLength(2)
})

test('a request whose sign-in failed has had no effect, unless an earlier attempt may have had one', async () => {
  let signIns = 0
  const answers: Answer[] = [{ status: 500 }, { status: 401 }]
  const fetch = async (input: URL | string | Request) => {
    if (!String(input).endsWith('/authenticate'))
      return new Response(null, answers.shift() as ResponseInit)
    signIns += 1
    return signIns === 2 ? Response.json({ 'id-token': 't' }) : new Response('{}')
  }
  const { session } = aSession([], { fetch, attemptsMax: 1 })
  const other = aSession([], { fetch, attemptsMax: 2 })
  const body = { body: {}, idempotencyKey: 'k' }

  await expect(inTime(session.call('POST', '/a', body))).rejects.toMatchObject({
    message: 'an answer has no id-token',
    mayHaveTakenEffect: false,
  })
  await expect(inTime(other.session.call('POST', '/a', body))).rejects.toMatchObject({
    message: 'an answer has no id-token',
    mayHaveTakenEffect: true,
  })
})

test('a TypeError of fetch counts as no answer', async () => {
  const failed = new TypeError('Failed to fetch')
  const { session, calls } = aSession([failed, failed], { attemptsMax: 2 })

  await expect(inTime(session.call('GET', '/a'))).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'https://a.example does not answer (TypeError)',
  })
  expect(calls()).toHaveLength(2)
})

test('an answer that is not JSON does not appear in the error', async () => {
  const fetch = async () => new Response('{"id-token":"the token')
  const { session } = aSession([], { fetch, attemptsMax: 1 })

  const error = await inTime(session.call('GET', '/a')).catch((thrown) => thrown)

  expect(error).toMatchObject({ kind: 'unreachable', message: 'an answer is not JSON' })
  expect(inspect(error)).not.toContain('the token')
})

test('neither an error nor the inspected client shows a secret', async () => {
  const { client } = aSession([], { fetch: undefined })

  expect(inspect(client, { depth: 9, showHidden: true })).not.toMatch(/the key|pass phrase/)
  const withPassword = 'https://ada:secret@a.example'
  expect(() => openSession({ ...credential, baseUrl: withPassword })).toThrow(
    /^(?!.*secret).*without credentials/,
  )
})

test('onWarnings receives the warnings of an answer, and submitPrintJob returns the id', async () => {
  const warnings = [{ code: 'UnknownMember', title: 'colour', detail: 'colour is not known.' }]
  const { client } = aSession([ok({ id: 'one', warnings }), ok({ id: 'two' })])
  const told: unknown[] = []
  const onWarnings = (given: unknown) => told.push(given)

  expect(await client.submitPrintJob({} as PrintJobRequest, { onWarnings })).toBe('one')
  expect(await client.submitPrintJob({} as PrintJobRequest, { onWarnings })).toBe('two')
  expect(told).toEqual([warnings])
})

test.each([
  ['http://despatch.example', {}, false],
  ['http://10.0.0.1:8080', {}, false],
  ['http://localhost.example', {}, false],
  ['http://127.0.0.1.example', {}, false],
  ['http://despatch.example', { allowInsecureHttp: true }, true],
  ['https://despatch.example', {}, true],
  ['http://localhost:8080', {}, true],
  ['http://127.0.0.1:8080', {}, true],
  ['http://127.1.2.3', {}, true],
  ['http://[::1]:8080', {}, true],
])('the client may send credentials to %s with %j: %s', (baseUrl, options, isAccepted) => {
  const open = () => openSession({ baseUrl, ...credential, ...options })

  if (isAccepted) expect(open).not.toThrow()
  else expect(open).toThrow(/^baseUrl must be an https address/)
})
