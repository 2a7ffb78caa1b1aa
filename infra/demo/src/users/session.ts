import type { Credential } from '@despatch/standalone/credentials'
import { fetchOrExplain } from '../fetch-or-explain.ts'

export type Answer = { status: number; headers: Headers; body: unknown }

export type Request = {
  method?: 'GET' | 'POST' | 'DELETE'
  path: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** For operations that require no token. */
  withKeyAlone?: boolean
}

/** A user who has signed in. */
export type Session = {
  userName: string
  token: string
  apiKey: string
  /** Sends a request with the user's token and key, and returns the response whatever its status. */
  send(request: Request): Promise<Answer>
  /** Does the same, but throws an error that quotes the response if the status is not an expected one. */
  expect(status: number | readonly number[], request: Request): Promise<Answer>
}

const requestDeadlineMs = 15_000

/** Authenticates with user name and password, and sends all later requests to `address`. Throws if it is refused. */
export async function signIn(
  { baseUrl, address = baseUrl }: { baseUrl: string; address?: string },
  { userName, password, apiKey }: Credential,
  signal: AbortSignal,
): Promise<Session> {
  const anonymous = makeSender(baseUrl, {}, signal)
  const { body } = await expectStatus(anonymous, 200, {
    method: 'POST',
    path: '/thirdparty-access/v1/authenticate',
    body: { userName, password },
  })
  const token = (body as { 'id-token'?: string })['id-token']
  if (!token) throw new Error('authenticate answered 200 without an id-token')

  const send = makeSender(address, { authorization: token, 'x-api-key': apiKey }, signal)
  const expect: Session['expect'] = (status, request) => expectStatus(send, status, request)
  return { userName, token, apiKey, send, expect }
}

type Sender = (request: Request) => Promise<Answer>

function makeSender(
  address: string,
  credentials: { authorization?: string; 'x-api-key'?: string },
  stop: AbortSignal,
): Sender {
  return async (request) => {
    const { method = 'GET', path, headers = {}, withKeyAlone = false } = request
    const { authorization, ...key } = credentials
    const content = request.body === undefined ? undefined : JSON.stringify(request.body)
    const response = await fetchOrExplain(`${method} ${path}`, new URL(path, address), {
      method,
      headers: {
        ...key,
        ...(authorization && !withKeyAlone && { authorization }),
        ...(content && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(content && { body: content }),
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(requestDeadlineMs)]),
    })
    return { status: response.status, headers: response.headers, body: await readBody(response) }
  }
}

/** Returns JSON as its value, a PDF or a picture as bytes, anything else as text. */
async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (/^(?:application\/pdf|image\/)/.test(type)) return response.bytes()
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function expectStatus(
  send: Sender,
  expected: number | readonly number[],
  request: Request,
): Promise<Answer> {
  const answer = await send(request)
  const statuses = [expected].flat()
  if (statuses.includes(answer.status)) return answer
  const { method = 'GET', path } = request
  const quote = JSON.stringify(answer.body).slice(0, 400)
  throw new Error(
    `${method} ${path} answered ${answer.status} instead of ${statuses.join(' or ')}: ${quote}`,
  )
}
