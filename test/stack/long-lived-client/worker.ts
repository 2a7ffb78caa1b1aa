import { eventually } from '@despatch/testing/eventually'
import type { Credential } from '../start-despatch.ts'
import type { Letter } from './letters.ts'
import { beginSession, type Session, type SessionAnswer } from './session.ts'

/** What all processes of the client share. A new value is stored only after the 200 of its change. */
type ParameterStore = Credential

/** How an attempt to submit a letter ended, with the text that the client reads from the answer. */
type Outcome = {
  kind: 'accepted' | 'duplicate' | 'retryable' | 'failed'
  text: string | undefined
}

/** One process of the client. It caches the credentials and keeps its token until a minute before it expires. */
export type Worker = Disposable & {
  /** Submits a letter with the same id until the outcome is final, and returns the outcome. */
  deliver(letter: Letter): Promise<Outcome>
  /** Replaces the password. The request has no token and no key. */
  changePassword(newPassword: string): Promise<void>
  changeApiKey(): Promise<void>
  token(): string | undefined
  /** What has happened so far. */
  counts: Readonly<Counts>
}

/** `refusedPasswords` and `refusedKeys` count the answers with 401. */
type Counts = { authentications: number; refusedPasswords: number; refusedKeys: number }
/** The error that makes the client try again later. */
class Retryable extends Error {}

const renewBeforeMs = 60_000
const deliverDeadlineMs = 60_000
const accessPath = '/thirdparty-access/v1'

type WorkerOptions = {
  parameters: ParameterStore
  /** The client's notion of the time, in milliseconds. */
  now: () => number
}

/**
 * Starts a process of a client that follows the specification and is not ours to change. After a 401 it takes the API key
 * from the parameter store again, and goes on with the same token.
 */
export function startWorker(baseUrl: string, options: WorkerOptions): Worker {
  const { parameters } = options
  const session = beginSession(baseUrl)
  const { cached, counts, credentials, token } = keepCredentials(session, options)

  async function submit({ body }: Letter): Promise<Outcome> {
    try {
      const path = '/print-request/v1/print/jobs'
      const answer = await session.post(path, body, await credentials())
      if (answer.status === 401) {
        counts.refusedKeys += 1
        delete cached.apiKey
      }
      return outcomeOf(answer)
    } catch (error) {
      if (!(error instanceof Retryable || isOfConnection(error))) throw error
      return { kind: 'retryable', text: error.message }
    }
  }

  return {
    deliver: (letter) =>
      eventually(
        async () => {
          const outcome = await submit(letter)
          return outcome.kind !== 'retryable' && outcome
        },
        { deadlineMs: deliverDeadlineMs, pollMs: 250, message: `${letter.id} is submitted` },
      ),
    changePassword: async (newPassword) => {
      const { userName, password } = parameters
      const body = { userName, password, newPassword }
      requireOk(await session.post(`${accessPath}/password`, body))
      parameters.password = newPassword
      cached.password = newPassword
    },
    changeApiKey: async () => {
      delete cached.apiKey
      const answer = await session.post(`${accessPath}/new-api-key`, undefined, await credentials())
      requireOk(answer)
      const { newApiKey } = answer.body as { newApiKey: string }
      parameters.apiKey = newApiKey
      cached.apiKey = newApiKey
    },
    token,
    counts,
    [Symbol.dispose]: () => session[Symbol.dispose](),
  }
}

/** Caches the password and the API key, and keeps the token until a minute before it expires. */
function keepCredentials(session: Session, { parameters, now }: WorkerOptions) {
  const counts: Counts = { authentications: 0, refusedPasswords: 0, refusedKeys: 0 }
  const cached: Partial<ParameterStore> = {}
  let token: { text: string; expiresAtMs: number } | undefined

  const cachedValue = (name: 'password' | 'apiKey'): string => {
    cached[name] ??= parameters[name]
    return cached[name]
  }

  async function authenticate(): Promise<string> {
    if (token && token.expiresAtMs - now() >= renewBeforeMs) return token.text
    const { userName } = parameters
    const body = { userName, password: cachedValue('password') }
    const answer = await session.post(`${accessPath}/authenticate`, body)
    if (answer.status === 401) {
      counts.refusedPasswords += 1
      delete cached.password
    }
    if (answer.status !== 200) throw new Retryable(textOf(answer))
    const { 'id-token': text } = answer.body as { 'id-token': string }
    const { exp } = JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString())
    if (typeof exp !== 'number') throw new Error('The token does not say when it expires')
    counts.authentications += 1
    token = { text, expiresAtMs: exp * 1000 }
    return text
  }

  return {
    cached,
    counts,
    token: () => token?.text,
    /** Returns the headers of a request that requires the token and the key. */
    credentials: async () => ({
      accept: 'application/json',
      authorization: await authenticate(),
      'x-api-key': cachedValue('apiKey'),
    }),
  }
}

function outcomeOf(answer: SessionAnswer): Outcome {
  const { status, body } = answer
  if (status === 202) return { kind: body === undefined ? 'failed' : 'accepted', text: undefined }
  if (status === 409) return { kind: 'duplicate', text: textOf(answer) }
  if (status === 401 || status === 403) return { kind: 'retryable', text: textOf(answer) }
  if (status === 429 || status >= 500) return { kind: 'retryable', text: undefined }
  return { kind: 'failed', text: textOf(answer) }
}

/** The only part of an error that the client reads. Errors of some operations are a bare list. */
function textOf({ body }: SessionAnswer): string {
  const { errors = body } = body as { errors?: unknown }
  return (errors as { detail: string }[])[0]!.detail
}

function requireOk(answer: SessionAnswer): void {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${textOf(answer)}`)
}

function isOfConnection(error: unknown): error is Error {
  return error instanceof Error && 'code' in error
}
