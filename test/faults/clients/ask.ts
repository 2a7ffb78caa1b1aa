import { setTimeout as pause } from 'node:timers/promises'
import type { ClientHistory, HistoryLine, LetterKind } from '../facts/client-history.ts'
import type { Chance } from '../seeded-chance.ts'

/** What a client needs to send requests: the address, the credential, and how it behaves. */
export type Asking = {
  /** The current address of intake. */
  baseUrl(): string
  credential: { token: string; apiKey: string }
  history: ClientHistory
  /** The longest pause between two attempts when the service sends no Retry-After, in milliseconds. */
  backoffMsMax: number
  chance: Chance
  signal: AbortSignal
}

/** The letter that a request concerns. */
export type AskingLetter = { id: string; process: string; kind: LetterKind }

const answerDeadlineMs = 30_000
const fillDeadlineMs = 10_000
const firstBackoffMs = 250

export type Asked = Pick<HistoryLine, 'operation'> & {
  /** A path on intake. */
  path?: string
  /** An address on another server. */
  url?: string
  method?: string
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}
export type Answer = { status: number | undefined; retryAfterMs: number; text: string }

/** Sends a request once, and records it and its answer in the history. */
export async function ask(sender: Asking, letter: AskingLetter, asked: Asked): Promise<Answer> {
  const { baseUrl, credential, history, signal } = sender
  const { operation, path, url, method = 'GET', body, headers } = asked
  const line = { process: letter.process, operation, id: letter.id }
  history.add({ ...line, type: 'invoke', ...(operation === 'post' && { letter: letter.kind }) })
  const deadlineMs = operation === 'fill-upload' ? fillDeadlineMs : answerDeadlineMs
  try {
    const answer = await fetch(url ?? `${baseUrl()}${path}`, {
      method,
      headers: {
        ...(path && { authorization: credential.token, 'x-api-key': credential.apiKey }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
    })
    const text = await answer.text()
    const { status } = answer
    const retryAfter = answer.headers.get('retry-after')
    history.add({
      ...line,
      type: answer.ok ? 'ok' : isRefusal(status) ? 'fail' : 'unknown',
      status,
      ...(status === 503 && { hasRetryAfter: retryAfter !== null }),
    })
    return { status, retryAfterMs: Number(retryAfter ?? 0) * 1_000, text }
  } catch {
    history.add({ ...line, type: 'unknown' })
    return { status: undefined, retryAfterMs: 0, text: '' }
  }
}

function isRefusal(status: number): boolean {
  return (status >= 400 && status < 500) || status === 503
}

/** Repeats a request until its answer is final, or until `next` returns undefined. */
export async function untilAnswered(
  { chance, backoffMsMax, signal }: Asking,
  next: (attempt: number) => Promise<Answer> | undefined,
): Promise<Answer> {
  let last: Answer = { status: undefined, retryAfterMs: 0, text: '' }
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    const asked = next(attempt)
    if (!asked) return last
    last = await asked
    const { status, retryAfterMs } = last
    if (status !== undefined && status < 500 && status !== 429) return last
    const backoffMs = Math.min(backoffMsMax, firstBackoffMs * 2 ** Math.min(attempt, 16))
    const pauseMs = Math.max(retryAfterMs, backoffMs) * (1 + chance() / 2)
    await pause(pauseMs, undefined, { signal })
  }
}
