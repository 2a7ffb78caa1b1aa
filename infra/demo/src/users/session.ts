import type { Credential } from '@despatch/standalone/credentials'
import { fetchOrExplain } from '../fetch-or-explain.ts'

export type Answer = { status: number; headers: Headers; body: unknown }

export type Request = {
  method?: 'GET' | 'POST' | 'DELETE'
  path: string
  headers?: Record<string, string>
  body?: unknown
}

/** A user who has signed in. */
export type Session = {
  userName: string
  token: string
  apiKey: string
  /** Sends a request with the user's token and key, and gives the answer whatever its status. */
  send(request: Request): Promise<Answer>
  /** The same, but any other status than the expected one is an error that quotes the answer. */
  expect(status: number, request: Request): Promise<Answer>
}

const requestDeadlineMs = 15_000

/** Authenticates with user name and password. Throws when it is refused. */
export async function signIn(
  baseUrl: string,
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

  const send = makeSender(baseUrl, { authorization: token, 'x-api-key': apiKey }, signal)
  const expect = (status: number, request: Request) => expectStatus(send, status, request)
  return { userName, token, apiKey, send, expect }
}

type Sender = (request: Request) => Promise<Answer>

function makeSender(
  baseUrl: string,
  credentials: Record<string, string>,
  stop: AbortSignal,
): Sender {
  return async ({ method = 'GET', path, headers = {}, body }) => {
    const response = await fetchOrExplain(`${method} ${path}`, new URL(path, baseUrl), {
      method,
      headers: {
        ...credentials,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(requestDeadlineMs)]),
    })
    return { status: response.status, headers: response.headers, body: await readBody(response) }
  }
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function expectStatus(send: Sender, status: number, request: Request): Promise<Answer> {
  const answer = await send(request)
  if (answer.status === status) return answer
  const { method = 'GET', path } = request
  const quote = JSON.stringify(answer.body).slice(0, 400)
  throw new Error(`${method} ${path} answered ${answer.status} instead of ${status}: ${quote}`)
}
