import type { ConsumerClient } from '@despatch/client/consumer-client'
import { administrationPath } from '@despatch/contracts/administration/paths'
import { printRequestPrefix } from '@despatch/contracts/print-request/paths'
import { Failure } from './failure.ts'
import type { Credential, Settings } from './settings.ts'
import { explainStale, type RefusedSecret } from './stale-credential.ts'
import { printable } from './table.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A session of an operator. */
export type Session = {
  /** The address for consumers. */
  baseUrl: string
  /** The operator's own password, which operations that replace credentials require again. */
  password: string
  /**
   * Sends a request below /administration/v1 and returns the body of the response. Throws a Failure if it is refused.
   * `isLong`: checks may take most of a minute.
   */
  send<Body>(
    method: Method,
    path: string,
    body?: unknown,
    options?: { isLong?: boolean },
  ): Promise<Body>
  /** Sends lines of JSON in the same way. Throws the signal's reason when it aborts. */
  sendLines<Body>(path: string, lines: Buffer, signal: AbortSignal): Promise<Body>
  /**
   * Requests a file in the same way and returns its bytes as they arrive. They fail if the connection breaks off or the
   * signal aborts.
   */
  receive(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
}

/** A session of a consumer. */
export type ConsumerSession = {
  /**
   * Sends a request below /print-request/v1 and returns the body of the response. Throws a Failure if it is refused, and
   * the signal's reason when it aborts.
   */
  send<Body>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<Body>
  /** Opens a client for many calls. It waits and repeats a call that the service cannot take at present. */
  openClient(): Promise<ConsumerClient>
}

/** The last valid days of the credentials, as YYYY-MM-DD. */
export type Expiries = { apiKeyExpiry: string; passwordExpiry: string }

type Somebody = Pick<Settings, 'baseUrl' | 'credential' | 'origin'>

const answerDeadlineMs = 30_000
const longDeadlineMs = 110_000
const fileDeadlineMs = 600_000
/** With the pauses of the client, a service may be away for two minutes. */
const attemptsMax = 12

/**
 * Signs in, and again whenever the JWT has expired. Throws a Failure if that is refused or the service does not answer.
 */
export async function signIn({ opsUrl, ...somebody }: Settings): Promise<Session> {
  const { baseUrl, credential } = somebody
  const { request, respond } = await openSession(somebody, `${opsUrl}${administrationPath}`)
  return {
    baseUrl,
    password: credential.password,
    send: (method, path, body, { isLong = false } = {}) =>
      request(method, path, {
        ...(body !== undefined && jsonContents(body)),
        ...(isLong && { deadlineMs: longDeadlineMs }),
      }),
    sendLines: (path, lines, signal) =>
      request('POST', path, {
        headers: { 'content-type': 'application/x-ndjson' },
        body: lines,
        deadlineMs: longDeadlineMs,
        signal,
      }),
    receive: async (path, signal) => {
      const response = await respond('GET', path, { deadlineMs: fileDeadlineMs, signal })
      if (response.ok && response.body) return response.body
      return bodyOf(await readAnswer(response), staleIn(somebody, 'API key'))
    },
  }
}

/** Signs in as a consumer. Throws a Failure if that is refused or the service does not answer. */
export async function signInAsConsumer(somebody: Somebody): Promise<ConsumerSession> {
  const below = `${somebody.baseUrl}${printRequestPrefix}/v1`
  const { request } = await openSession(somebody, below)
  return {
    send: (method, path, body, signal) =>
      request(method, path, {
        ...(body !== undefined && jsonContents(body)),
        ...(signal && { signal }),
      }),
    openClient: async () => {
      const { ConsumerClient } = await import('@despatch/client/consumer-client')
      const { baseUrl, credential } = somebody
      return new ConsumerClient({ baseUrl, ...credential, allowInsecureHttp: true, attemptsMax })
    },
  }
}

/**
 * Returns when a user's credentials expire. Throws a Failure if the sign-in is refused or the service does not answer.
 */
export async function readExpiries(somebody: Somebody): Promise<Expiries> {
  const { apiKeyExpiry, passwordExpiry } = await authenticate(somebody)
  return { apiKeyExpiry, passwordExpiry }
}

async function authenticate(somebody: Somebody) {
  const { baseUrl, credential } = somebody
  const { userName, password } = credential
  const contents = jsonContents({ userName, password })
  const response = await exchange(baseUrl, 'POST', '/thirdparty-access/v1/authenticate', contents)
  const hint = staleIn(somebody, 'password')
  return bodyOf<Expiries & { 'id-token': string }>(await readAnswer(response), hint)
}

/** Returns the functions that send requests below an address, with a JWT that is renewed when it has expired. */
async function openSession(somebody: Somebody, below: string) {
  const { apiKey }: Credential = somebody.credential
  const fetchToken = async () => (await authenticate(somebody))['id-token']
  let token = await fetchToken()

  async function respond(method: Method, path: string, contents: Contents): Promise<Response> {
    const send = () => {
      const headers = { authorization: `Bearer ${token}`, 'x-api-key': apiKey, ...contents.headers }
      return exchange(below, method, path, { ...contents, headers })
    }
    const response = await send()
    if (response.status !== 401) return response
    await response.body?.cancel()
    token = await fetchToken()
    return send()
  }
  async function request<Body>(method: Method, path: string, contents: Contents): Promise<Body> {
    const answer = await readAnswer(await respond(method, path, contents))
    return bodyOf(answer, staleIn(somebody, 'API key'))
  }
  return { request, respond }
}

type Contents = {
  headers?: Record<string, string>
  body?: string | Buffer
  deadlineMs?: number
  signal?: AbortSignal
}

function jsonContents(body: unknown): Contents {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

type Answer = { status: number; isOk: boolean; body: unknown }

async function exchange(
  address: string,
  method: Method,
  path: string,
  { headers, body, deadlineMs = answerDeadlineMs, signal }: Contents,
): Promise<Response> {
  const deadline = AbortSignal.timeout(deadlineMs)
  return fetch(`${address}${path}`, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body: body as string }),
    // The credentials must not go to any other address.
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  }).catch((cause: unknown) => {
    signal?.throwIfAborted()
    throw new Failure(
      `${new URL(address).origin} does not respond (${reasonOf(cause)}). Is Despatch running there?`,
      {
        exitCode: 1,
        cause,
      },
    )
  })
}

/** Returns what to say after a 401. Undefined if the origin of the credential is not known. */
function staleIn(
  { credential: { userName }, origin }: Somebody,
  secret: RefusedSecret,
): string | undefined {
  return origin && explainStale(secret, userName, origin)
}

/** Returns the body. Throws a Failure if the response is a refusal, with the hint if it is a 401. */
function bodyOf<Body>({ status, isOk, body }: Answer, hint: string | undefined): Body {
  if (isOk && body !== undefined) return body as Body
  const titles = textsOf(body, 'title')
  const said = renderRefusal(status, body)
  const message = status === 401 && hint !== undefined ? `${said}. ${hint}` : said
  throw new Failure(message, { exitCode: 1, status, titles })
}

async function readAnswer(response: Response): Promise<Answer> {
  const body = await response.json().catch(() => undefined)
  return { status: response.status, isOk: response.ok, body }
}

/**
 * Returns the details of a refusal in either error format of our APIs. A refusal without details is described by its
 * status.
 */
export function renderRefusal(status: number, answer: unknown): string {
  const details = textsOf(answer, 'detail').map(printable)
  if (details.length === 0) return `unexpected response with status ${status}, not from Despatch`
  return `${details.join('\n          ')} (${status})`
}

function textsOf(answer: unknown, member: 'title' | 'detail'): string[] {
  const { errors = answer } = (answer ?? {}) as { errors?: unknown }
  return (Array.isArray(errors) ? errors : [])
    .map((error: { [name in typeof member]?: unknown } | null) => error?.[member])
    .filter((text) => typeof text === 'string')
}

/** Returns the cause's message, because `fetch failed` alone does not help. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.cause ? reasonOf(error.cause) : error.message
}
