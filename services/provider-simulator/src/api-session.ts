import { setTimeout as pause } from 'node:timers/promises'

export type SessionOptions = {
  baseUrl: string
  userName: string
  password: string
  apiKey: string
  /** Ends every call that is under way. */
  signal: AbortSignal
}

export type ApiRequest = { method?: string; headers?: Record<string, string>; body?: unknown }

/** A refusal: the request itself is wrong, so that repeating it would not help. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, detail: string) {
    super(`${status}: ${detail}`)
    this.name = 'Refused'
    this.status = status
  }
}

export type ApiSession = {
  signal: AbortSignal
  /**
   * Makes a call with credentials. A token that has expired is renewed, and a fault of the network or the server is
   * tried again with growing pauses, so the call must be safe to repeat. Redirects are not followed.
   * Throws Refused on another answer of 400 or above, and the last error when the attempts run out.
   */
  call(path: string, request?: ApiRequest): Promise<Response>
  /** Gets an address outside the API, without credentials, and with the same patience. */
  download(address: string): Promise<Response>
}

const attemptsMax = 6
const firstPauseMs = 200
const pauseMsMax = 5_000
const callTimeoutMs = 60_000

export function openApiSession({ baseUrl, signal, ...credentials }: SessionOptions): ApiSession {
  let token: Promise<string> | undefined

  async function authenticate(): Promise<string> {
    const { userName, password } = credentials
    const response = await send('/thirdparty-access/v1/authenticate', {
      method: 'POST',
      body: { userName, password },
    })
    if (!response.ok) throw await failureOf(response)
    const { 'id-token': idToken } = (await response.json()) as { 'id-token': string }
    return idToken
  }

  async function callOnce(path: string, request: ApiRequest): Promise<Response> {
    token ??= authenticate()
    const used = token
    const authorization = await used.catch((error: unknown) => {
      if (token === used) token = undefined
      throw error
    })
    const headers = { ...request.headers, authorization, 'x-api-key': credentials.apiKey }
    const response = await send(path, { ...request, headers })
    if (response.status === 401 && token === used) token = undefined
    if (response.status >= 400) throw await failureOf(response)
    return response
  }

  function send(path: string, { method = 'GET', headers = {}, body }: ApiRequest) {
    return fetch(new URL(path, baseUrl), {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
    })
  }

  async function download(address: string): Promise<Response> {
    const response = await fetch(address, {
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
    })
    if (response.status >= 400) throw await failureOf(response)
    return response
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
      const longestMs = Math.min(firstPauseMs * 2 ** (attempts - 1), pauseMsMax)
      await pause(longestMs * (0.5 + Math.random() / 2), undefined, { signal })
    }
  }
}

// 401 passes with a fresh token, 429 and 5xx with time, and so does a network that failed.
function mayPass(error: unknown): boolean {
  if (!(error instanceof Refused)) return true
  return error.status === 401 || error.status === 429 || error.status >= 500
}

async function failureOf(response: Response): Promise<Refused> {
  const body = (await response.json().catch(() => null)) as {
    errors?: { detail?: string }[]
  } | null
  return new Refused(response.status, body?.errors?.[0]?.detail ?? response.statusText)
}
