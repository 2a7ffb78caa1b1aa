import { setTimeout as pause } from 'node:timers/promises'
import { type Chance, seededChance } from '../seeded-chance.ts'
import type { ClientHistory, HistoryLine, LetterKind } from './client-history.ts'

export type PostingOptions = {
  /** Where intake listens now. */
  baseUrl(): string
  credential: { token: string; apiKey: string }
  callbackTarget: string
  /** A file of each letter that has one. */
  pdfs: readonly Uint8Array<ArrayBuffer>[]
  history: ClientHistory
  lettersPerSecond: number
  /** The longest pause between two attempts that the service has not asked for, in milliseconds. */
  backoffMsMax: number
  seed: number
}

export type PostingClient = {
  /** Begins no letter any more, and waits until all that were begun have their answer, or the signal aborts. */
  finish(signal: AbortSignal): Promise<void>
  letters(): number
}

/** Of the letters; the others have no file. */
const inlineShare = 0.1
const uploadShare = 0.05
const withoutKeyShare = 0.25
/** Of those whose file comes with them. */
const impatientShare = 0.25
const readShare = 0.1
const answerDeadlineMs = 30_000
const fillDeadlineMs = 10_000
const firstBackoffMs = 250

/**
 * Posts letters at a steady rate, however long the answers take. Each letter keeps its id through all of its attempts, most
 * have an Idempotency-Key, and a pause is at least as long as Retry-After asks.
 */
export function startPosting(options: PostingOptions): PostingClient {
  const { lettersPerSecond, seed } = options
  const stopping = new AbortController()
  const givingUp = new AbortController()
  const startedAt = performance.now()
  const underWay: Promise<void>[] = []
  const beginning = (async () => {
    while (!stopping.signal.aborted) {
      const number = underWay.length
      const chance = seededChance(seed, `letter ${number}`)
      underWay.push(
        post({ ...options, chance, signal: givingUp.signal }, number).catch((error) => {
          if (!givingUp.signal.aborted) throw error
        }),
      )
      const next = startedAt + (1_000 / lettersPerSecond) * underWay.length
      await pause(Math.max(0, next - performance.now()), undefined, {
        signal: stopping.signal,
      }).catch(() => {})
    }
  })()
  return {
    letters: () => underWay.length,
    finish: async (signal) => {
      stopping.abort()
      await beginning
      const giveUp = () => givingUp.abort()
      signal.addEventListener('abort', giveUp, { once: true })
      if (signal.aborted) giveUp()
      await Promise.all(underWay)
      signal.removeEventListener('abort', giveUp)
    },
  }
}

type Sender = PostingOptions & { chance: Chance; signal: AbortSignal }
type Letter = { id: string; process: string; number: number; kind: LetterKind }

async function post(sender: Sender, number: number): Promise<void> {
  const { chance, pdfs } = sender
  const kind = chooseKind(chance)
  const id = `outage-${number}`
  const letter: Letter = { id, process: `client ${number}`, number, kind }
  const pdf = pdfs[number % pdfs.length]!
  const uploadId = kind.files === 'upload' ? await upload(sender, letter, pdf) : undefined
  const body = JSON.stringify(writeLetter(sender, letter, { pdf, uploadId }))
  const { status } = await untilAnswered(sender, (attempt) =>
    attempt === 1 || kind.isPatient
      ? ask(sender, letter, {
          operation: 'post',
          path: '/print-request/v1/print/jobs',
          method: 'POST',
          body,
          headers: {
            'content-type': 'application/json',
            ...(kind.hasKey && { 'idempotency-key': `key-of-${id}` }),
          },
        })
      : undefined,
  )
  if (status !== 202 || chance() >= readShare) return
  const path = `/print-request/v1/print/jobs/${id}`
  await untilAnswered(sender, () => ask(sender, letter, { operation: 'read', path }))
}

function chooseKind(chance: Chance): LetterKind {
  const luck = chance()
  const files = luck < inlineShare ? 'inline' : luck < inlineShare + uploadShare ? 'upload' : 'none'
  const hasKey = chance() >= withoutKeyShare
  return { files, hasKey, isPatient: files !== 'inline' || chance() >= impatientShare }
}

function writeLetter(
  { callbackTarget }: Sender,
  { id, number, kind }: Letter,
  { pdf, uploadId }: { pdf: Uint8Array; uploadId: string | undefined },
) {
  const type = kind.files === 'inline' ? 'NOTIFY' : 'LETTER'
  return {
    id,
    standardParams: {
      jobType: type,
      templateReference: type,
      recipientName: `Ms Person ${number}`,
      address: {
        unstructuredAddress: { line1: '1 High Street', line5: 'ANYTOWN', postcode: 'AB1 2CD' },
      },
    },
    ...(kind.files === 'inline' && {
      customParams: [{ key: 'pdfContent', value: Buffer.from(pdf).toString('base64') }],
    }),
    ...(uploadId !== undefined && { fileParams: [{ fileId: 'enclosure', uploadId }] }),
    callbackParams: {
      target: callbackTarget,
      retryParams: { enabled: true, maxRetryWindow: 10_800 },
    },
  }
}

/** Uploads a file before its letter is posted: again to the same address, and to another when that is refused. */
async function upload(
  sender: Sender,
  letter: Letter,
  pdf: Uint8Array<ArrayBuffer>,
): Promise<string> {
  for (;;) {
    const made = await untilAnswered(sender, () =>
      ask(sender, letter, {
        operation: 'make-upload',
        path: '/print-request/v1/print/files/upload-url',
      }),
    )
    const { uploadId, url } = JSON.parse(made.text) as { uploadId: string; url: string }
    const filled = await untilAnswered(sender, () =>
      ask(sender, letter, { operation: 'fill-upload', url, method: 'PUT', body: pdf }),
    )
    if (filled.status === 200) return uploadId
  }
}

type Asked = Pick<HistoryLine, 'operation'> & {
  /** Of intake. */
  path?: string
  /** Of another server. */
  url?: string
  method?: string
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}
type Answer = { status: number | undefined; retryAfterMs: number; text: string }

/** Sends a request once, and notes it and its answer. */
async function ask(sender: Sender, letter: Letter, asked: Asked): Promise<Answer> {
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

/** Asks again until there is an answer that no repetition changes, or until the next question is not to be asked. */
async function untilAnswered(
  { chance, backoffMsMax, signal }: Sender,
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
