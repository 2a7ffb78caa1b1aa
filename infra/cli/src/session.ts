import { administrationPath } from '@despatch/contracts/administration/paths'
import { Failure } from './failure.ts'
import type { Settings } from './settings.ts'
import { printable } from './table.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** An operator who has signed in. */
export type Session = {
  /** Where consumers call. */
  baseUrl: string
  /** Sends a request below /administration/v1 and gives the body of the answer. Throws a Failure when it is refused. */
  send<Body>(method: Method, path: string, body?: unknown): Promise<Body>
}

const answerDeadlineMs = 30_000

/** Signs in. Throws a Failure when that is refused or nobody answers. */
export async function signIn({ baseUrl, opsUrl, credential }: Settings): Promise<Session> {
  const { userName, password, apiKey } = credential
  const { 'id-token': token } = await request<{ 'id-token': string }>(
    baseUrl,
    'POST',
    '/thirdparty-access/v1/authenticate',
    { body: { userName, password } },
  )
  const headers = { authorization: `Bearer ${token}`, 'x-api-key': apiKey }
  return {
    baseUrl,
    send: (method, path, body) =>
      request(opsUrl, method, `${administrationPath}${path}`, { headers, body }),
  }
}

type Contents = { headers?: Record<string, string>; body?: unknown }

async function request<Body>(
  address: string,
  method: Method,
  path: string,
  { headers, body }: Contents,
): Promise<Body> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // the credentials are for this address alone
    redirect: 'error',
    signal: AbortSignal.timeout(answerDeadlineMs),
  }).catch((cause: unknown) => {
    throw new Failure(
      `${address} does not answer (${reasonOf(cause)}): is Despatch running there?`,
      {
        exitCode: 1,
        cause,
      },
    )
  })
  const answer = await readAnswer(response)
  if (response.ok && answer !== undefined) return answer as Body
  throw new Failure(renderRefusal(response.status, answer), { exitCode: 1 })
}

async function readAnswer(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text())
  } catch {
    return undefined
  }
}

/** The details of a refusal in either of the shapes that our interfaces have. One that has none is told by its status. */
export function renderRefusal(status: number, answer: unknown): string {
  const { errors = answer } = (answer ?? {}) as { errors?: unknown }
  const details = (Array.isArray(errors) ? errors : [])
    .map((error: { detail?: unknown } | null) => error?.detail)
    .filter((detail) => typeof detail === 'string')
    .map(printable)
  if (details.length === 0) return `the answer was ${status}, and not one of Despatch's`
  return `${details.join('\n          ')} (${status})`
}

/** `fetch failed` alone helps nobody. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.cause ? reasonOf(error.cause) : error.message
}
