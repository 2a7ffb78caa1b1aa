import { DespatchError, refusalOf } from './despatch-error.ts'
import {
  mayHaveTakenEffect,
  mayRepeat,
  parseRetryAfter,
  pauseMsAfter,
  retryAfterSecondsMax,
} from './retry.ts'
import { useTokenForMs } from './token.ts'
import { pause, waitFor, within } from './waiting.ts'

export type ClientOptions = {
  /** Address of Despatch, such as `https://despatch.example`. `http` only for this machine. */
  baseUrl: string
  /** Permits `http` to other machines, which sends the credentials and the letters unencrypted. Default false. */
  allowInsecureHttp?: boolean | undefined
  userName: string
  password: string
  apiKey: string
  /** Longest wait for one answer, in milliseconds. Default 30,000. A file has a limit of its own. */
  timeoutMs?: number | undefined
  /** Most attempts of a request that may be repeated. Default 8, which takes about 20 seconds. */
  attemptsMax?: number | undefined
  /** Ends every call that has no signal of its own, for example when your program stops. */
  signal?: AbortSignal | undefined
  /**
   * Replaces the built-in `fetch`, for example to go through a proxy. `fetch` throws a TypeError if the network fails,
   * so a TypeError counts as no answer.
   */
  fetch?: typeof globalThis.fetch | undefined
}

/** What every method takes. */
export type CallOptions = {
  /** Ends the call. It then throws the reason of the signal. */
  signal?: AbortSignal | undefined
  /** Sent as `X-Correlation-Id`, by which the logs of both sides can be compared. */
  correlationId?: string | undefined
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Request = CallOptions & {
  /** Members without a value are left out. */
  query?: Record<string, string | number | undefined> | undefined
  /** Sent as JSON. */
  body?: unknown
  /** With the same key and body, Despatch carries a request out once. */
  idempotencyKey?: string | undefined
  /**
   * Whether it does no harm to send the request again after no answer or a 5xx. Default: true, except for a POST without
   * an idempotency key.
   */
  isRepeatable?: boolean | undefined
}

/** Calls of the APIs on behalf of one user. */
export type Session = {
  /** The signal of the options: it ends every call that has none of its own. */
  signal: AbortSignal | undefined
  /**
   * Returns the JSON of the answer. Throws a DespatchError. An answer that is not an object with these members counts
   * as lost. Without a list of members, the answer may be empty; the result is then undefined.
   */
  call<Body>(
    method: Method,
    path: string,
    request?: Request,
    members?: readonly string[],
  ): Promise<Body>
  /** Returns the answer as soon as it begins. The signal does not end the reading of its body. */
  open(path: string, options?: CallOptions): Promise<Response>
  /**
   * Calls a presigned address, without credentials and with the same retries. `read` is part of an attempt. The address
   * is a secret: an error names only its host.
   */
  outside<T>(
    address: string,
    options: {
      init: () => RequestInit
      read: (response: Response) => Promise<T>
      signal?: AbortSignal | undefined
      isRepeatable?: boolean
      timeoutMs?: number
    },
  ): Promise<T>
}

/**
 * Makes calls with a token, which is renewed in time and shared by all calls. Nothing is sent before the first call.
 * Throws a TypeError if an option cannot be used.
 */
export function openSession(options: ClientOptions): Session {
  const { userName, password, apiKey, timeoutMs = 30_000, attemptsMax = 8 } = options
  const base = baseOf(options.baseUrl, options.allowInsecureHttp ?? false)
  requireHeaderValue('apiKey', apiKey)
  requireTimeout(timeoutMs)
  if (!(attemptsMax >= 1)) throw new TypeError('attemptsMax must be 1 or more')
  const send: typeof fetch = (input, init) => (options.fetch ?? globalThis.fetch)(input, init)
  let token: { value: Promise<string>; useUntilMs: number } | undefined
  let quietUntilMs = 0

  function signIn(): Promise<string> {
    if (token && Date.now() < token.useUntilMs) return token.value
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ userName, password })
    const url = new URL(`${base}/thirdparty-access/v1/authenticate`)
    const fresh = {
      // its callers share it, and each has its own signal
      value: exchange(
        url,
        { method: 'POST', headers, body },
        readJson<{ 'id-token': string }>(['id-token']),
      ).then(({ 'id-token': value }) => {
        fresh.useUntilMs = Date.now() + useTokenForMs(value)
        return value
      }),
      useUntilMs: Number.POSITIVE_INFINITY,
    }
    token = fresh
    fresh.value.catch(() => discard(fresh.value))
    return fresh.value
  }

  function discard(value: Promise<string>) {
    if (token?.value === value) token = undefined
  }

  async function authorised<T>(
    path: string,
    { init, read, request }: { init: RequestInit; read: Read<T>; request: Request },
  ): Promise<T> {
    const { signal = options.signal, isRepeatable = true } = request
    const url = urlOf(base, path, request.query)
    const attempt = async (value: string) => {
      const headers = { ...init.headers, ...headersOf(request), authorization: `Bearer ${value}` }
      return exchange(url, { ...init, headers: { ...headers, 'x-api-key': apiKey } }, read, signal)
    }
    let isInDoubt = false
    for (let isRenewed = false; ; isRenewed = true) {
      const used = await persistently(true, signal, async () => {
        const value = signIn()
        return { value, text: await waitFor(value, signal) }
      }).catch((error) => {
        // a sign-in that fails does not carry the request out
        throw inDoubt(error, isInDoubt)
      })
      try {
        return await persistently(isRepeatable, signal, () => attempt(used.text), isInDoubt)
      } catch (error) {
        if (error instanceof DespatchError) isInDoubt = error.mayHaveTakenEffect
        if (isRenewed || !(error instanceof DespatchError) || error.status !== 401) throw error
        discard(used.value)
      }
    }
  }

  async function persistently<T>(
    isRepeatable: boolean,
    signal: AbortSignal | undefined,
    attempt: () => Promise<T>,
    isInDoubt = false,
  ): Promise<T> {
    let mayHaveBegun = isInDoubt
    for (let number = 1; ; number += 1) {
      try {
        const quietMs = quietUntilMs - Date.now()
        if (quietMs > 0) await pause(quietMs, signal)
        return await attempt()
      } catch (error) {
        if (!(error instanceof DespatchError)) throw error
        mayHaveBegun ||= mayHaveTakenEffect(error.status)
        if (number >= attemptsMax || !mayRepeat(error, isRepeatable)) {
          throw inDoubt(error, mayHaveBegun)
        }
        await pause(pauseMsAfter(error, number, Math.random()), signal)
      }
    }
  }

  /** Makes one attempt. Throws a DespatchError if it fails. */
  async function exchange<T>(
    url: URL,
    init: RequestInit,
    read: Read<T>,
    signal?: AbortSignal,
    ms = timeoutMs,
  ): Promise<T> {
    const late = () =>
      new DespatchError(`${url.origin} did not answer within ${ms} ms`, { kind: 'timeout' })
    return within({ ms, signal, reason: late }, async (ending) => {
      try {
        // The credentials must not go to any other address.
        const response = await send(url, { ...init, redirect: 'manual', signal: ending })
        if (response.ok || response.status === 303) return await read(response)
        const retryAfter = parseRetryAfter(response.headers.get('retry-after'), Date.now())
        keepQuiet(response.status, retryAfter)
        throw refusalOf(response, await response.json().catch(() => undefined), retryAfter)
      } catch (error) {
        if (error instanceof DespatchError) throw error
        signal?.throwIfAborted()
        if (isProgrammingError(error)) throw error
        const message = `${url.origin} does not answer (${nameOf(error)})`
        throw new DespatchError(message, { kind: 'unreachable' })
      }
    })
  }

  /** Limits apply to the user, so all calls wait, not only the one that was refused. */
  function keepQuiet(status: number, seconds = 0) {
    if ((status !== 429 && status !== 503) || seconds > retryAfterSecondsMax) return
    quietUntilMs = Math.max(quietUntilMs, Date.now() + seconds * 1_000)
  }

  return {
    signal: options.signal,
    call: async (method, path, request = {}, members) => {
      const { body, idempotencyKey } = request
      const isRepeatable =
        request.isRepeatable ?? (method !== 'POST' || idempotencyKey !== undefined)
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
      return authorised(path, {
        init,
        read: readJson<never>(members),
        request: { ...request, isRepeatable },
      })
    },
    open: async (path, request = {}) =>
      authorised(path, { init: {}, read: async (response) => response, request }),
    outside: (
      address,
      { init, read, signal = options.signal, isRepeatable = true, timeoutMs: ms },
    ) =>
      persistently(isRepeatable, signal, () =>
        exchange(new URL(address), init(), read, signal, ms),
      ),
  }
}

type Read<T> = (response: Response) => Promise<T>

function readJson<Body>(members: readonly string[] | undefined): Read<Body> {
  return async (response) => {
    const body = parse(await response.text())
    if (!members) return body as Body
    const isObject = typeof body === 'object' && body !== null
    const missing = isObject ? members.find((member) => !(member in body)) : 'JSON object'
    if (missing === undefined) return body as Body
    throw new DespatchError(`an answer has no ${missing}`, { kind: 'unreachable' })
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    // the message of the cause quotes the text, which may contain a token
    throw new DespatchError('an answer is not JSON', { kind: 'unreachable' })
  }
}

function inDoubt(error: unknown, mayHaveTakenEffect: boolean): unknown {
  if (!(error instanceof DespatchError)) return error
  return new DespatchError(error.message, { ...error, mayHaveTakenEffect })
}

/** Throws a TypeError if a header cannot have the value. It does not repeat the value, which may be secret. */
function requireHeaderValue(name: string, value: string): void {
  const isValue = typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
  if (!isValue)
    throw new TypeError(`${name} must be a text without line breaks, as headers require`)
}

/** Throws a TypeError unless it is a time in milliseconds. Infinity is one. */
export function requireTimeout(ms: number): void {
  if (!(ms >= 0)) throw new TypeError('timeoutMs must be a number from 0')
}

/** If the network fails, `fetch` throws a TypeError, an error with a code, or one with a cause. */
function isProgrammingError(error: unknown): boolean {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: unknown }
  if (cause !== undefined || code !== undefined) return false
  return (
    error instanceof ReferenceError || error instanceof RangeError || error instanceof SyntaxError
  )
}

function baseOf(baseUrl: string, allowsInsecure: boolean): string {
  let url: URL | undefined
  try {
    url = new URL(baseUrl)
  } catch {}
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (!url || !isPlain || !/^https?:$/.test(url.protocol)) {
    // the address is not repeated, because it may contain a password
    throw new TypeError('baseUrl must be an http or https address without credentials or a query')
  }
  if (url.protocol === 'http:' && !allowsInsecure && !isThisMachine(url)) {
    throw new TypeError(
      'baseUrl must be an https address, because http sends the credentials unencrypted. allowInsecureHttp permits it',
    )
  }
  return url.href.replace(/\/+$/, '')
}

/** The URL parser writes each form of an address in one way. */
function isThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

function urlOf(base: string, path: string, query: Request['query'] = {}): URL {
  if (!path.startsWith('/')) throw new TypeError('a path must begin with /')
  const url = new URL(base + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

function headersOf({ correlationId, idempotencyKey }: Request): Record<string, string> {
  if (correlationId !== undefined) requireHeaderValue('correlationId', correlationId)
  if (idempotencyKey !== undefined) requireHeaderValue('idempotencyKey', idempotencyKey)
  return {
    ...(correlationId !== undefined && { 'x-correlation-id': correlationId }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  }
}

/** Returns the code or the class of an error. Its message may contain an address or a header that is secret. */
function nameOf(error: unknown): string {
  const { cause, code, name } = (error ?? {}) as { cause?: unknown; code?: unknown; name?: string }
  if (cause) return nameOf(cause)
  return typeof code === 'string' ? code : (name ?? 'no reason')
}
