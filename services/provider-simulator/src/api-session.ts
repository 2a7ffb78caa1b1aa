import { setTimeout as pause } from 'node:timers/promises'
import type { Fetch } from './losing-replies.ts'

export type SessionOptions = {
  baseUrl: string
  userName: string
  password: string
  apiKey: string
  fetch: Fetch
  /** Aborts every call that is under way. */
  signal: AbortSignal
}

export type ApiRequest = { method?: string; headers?: Record<string, string>; body?: unknown }

export type ApiAnswer = {
  status: number
  headers: Headers
  /** The parsed JSON body; undefined if there was none. */
  body: unknown
}

/** The server refused the request. For most statuses the request itself is wrong, so a retry would not help. */
export class Refused extends Error {
  readonly status: number
  /** The machine-readable error code, if the response has one. */
  readonly code: string | undefined
  readonly retryAfterMs: number

  constructor(
    status: number,
    { code, detail, retryAfterMs }: { code?: string; detail: string; retryAfterMs: number },
  ) {
    super(`${status}: ${detail}`)
    this.name = 'Refused'
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

export type ApiSession = {
  signal: AbortSignal
  /**
   * Makes a call with credentials. Renews an expired token. Retries after a fault of the network or the server, with
   * growing pauses, so the call must be safe to repeat. Makes no call before the time in Retry-After. Does not follow
   * redirects.
   * Throws Refused on any other response of 400 or above, and the last error after 6 attempts.
   */
  call(path: string, request?: ApiRequest): Promise<ApiAnswer>
  /** Downloads from an address outside the API, without credentials and with the same retries. */
  download(address: string): Promise<Uint8Array>
}

const attemptsMax = 6
const firstPauseMs = 200
const pauseMsMax = 5_000
/** Longest pause for Retry-After; a longer one is cut to this. */
const retryAfterMsMax = 30_000
const callTimeoutMs = 60_000

export function openApiSession({
  baseUrl,
  fetch,
  signal,
  ...credentials
}: SessionOptions): ApiSession {
  const { origin } = new URL(baseUrl)
  let token: Promise<string> | undefined
  let quietUntilMs = 0

  async function authenticate(): Promise<string> {
    const { userName, password } = credentials
    const request = { method: 'POST', body: { userName, password } }
    const { body } = await send('/thirdparty-access/v1/authenticate', request)
    return (body as { 'id-token': string })['id-token']
  }

  async function callOnce(path: string, request: ApiRequest): Promise<ApiAnswer> {
    token ??= authenticate()
    const used = token
    const renew = (error: unknown): never => {
      if (token === used) token = undefined
      throw error
    }
    const authorization = await used.catch(renew)
    const headers = { ...request.headers, authorization, 'x-api-key': credentials.apiKey }
    return send(path, { ...request, headers }).catch((error: unknown) => {
      if (error instanceof Refused && error.status === 401) renew(error)
      throw error
    })
  }

  async function send(
    path: string,
    { method = 'GET', headers = {}, body }: ApiRequest,
  ): Promise<ApiAnswer> {
    const address = new URL(path, baseUrl)
    // The server supplies some paths. Credentials must not reach another origin.
    if (address.origin !== origin) throw new Error('an address of another server was to be called')
    await pause(Math.max(quietUntilMs - performance.now(), 0), undefined, { signal })
    const response = await fetch(address, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
    })
    if (response.status >= 400) {
      const refusal = await refusalOf(response)
      quietUntilMs = Math.max(quietUntilMs, performance.now() + refusal.retryAfterMs)
      throw refusal
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
  }

  async function download(address: string): Promise<Uint8Array> {
    const response = await fetch(address, {
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
    })
    if (response.status >= 400) throw await refusalOf(response)
    return new Uint8Array(await response.arrayBuffer())
  }

  return {
    signal,
    call: (path, request = {}) => withPatience(() => callOnce(path, request), signal),
    download: (address) => withPatience(() => download(address), signal),
  }
}

async function withPatience<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (signal.aborted || attempts >= attemptsMax || !mayPass(error)) throw error
      await pause(pauseMsAfter(error, attempts), undefined, { signal })
    }
  }
}

// A retry may succeed: after a 401 with a new token, after a 429 or 5xx later, and after a network failure.
function mayPass(error: unknown): boolean {
  if (!(error instanceof Refused)) return true
  return error.status === 401 || error.status === 429 || error.status >= 500
}

function pauseMsAfter(error: unknown, attempts: number): number {
  const longestMs = Math.min(firstPauseMs * 2 ** (attempts - 1), pauseMsMax)
  const ownMs = longestMs * (0.5 + Math.random() / 2)
  return error instanceof Refused ? Math.max(ownMs, error.retryAfterMs) : ownMs
}

async function refusalOf(response: Response): Promise<Refused> {
  const body = (await response.json().catch(() => null)) as {
    errors?: { code?: string; detail?: string }[]
  } | null
  const [first] = body?.errors ?? []
  const retryAfterSeconds = Number(response.headers.get('retry-after') ?? 0)
  return new Refused(response.status, {
    ...(first?.code && { code: first.code }),
    detail: first?.detail ?? response.statusText,
    retryAfterMs: Math.min(retryAfterSeconds * 1_000 || 0, retryAfterMsMax),
  })
}
