import { setTimeout as pause } from 'node:timers/promises'
import { clientPrefix, type LetterKind } from '../facts/client-history.ts'
import { type Chance, seededChance } from '../seeded-chance.ts'
import { type Asking, type AskingLetter, ask, untilAnswered } from './ask.ts'

export type PostingOptions = Omit<Asking, 'chance' | 'signal'> & {
  /** The target of a letter's callbacks, by the number of the letter. */
  callbackTarget: (number: number) => string
  retryWindowSeconds: number
  /** The files to choose from. A letter has at most one. */
  pdfs: readonly Uint8Array<ArrayBuffer>[]
  lettersPerSecond: number
  /** Whether another letter may begin. `unanswered` letters have no final answer yet. Default: always. */
  mayBegin?: (unanswered: number) => boolean
  /** The share of the letters that ask for callbacks, from 0 to 1. */
  calledBackShare: number
  seed: number
}

export type PostingClient = {
  /** What another client needs to send requests as this consumer. */
  asking: Asking
  /** Begins no further letters. Waits until every letter that was begun has its answer, or until the signal aborts. */
  finish(signal: AbortSignal): Promise<void>
}

/** Shares of all letters. */
const inlineShare = 0.1
const uploadShare = 0.05
const withoutKeyShare = 0.25
/** The share of the letters with an inline file that are posted only once. */
const impatientShare = 0.25
const readShare = 0.1
const lookAgainMs = 100

/**
 * Posts letters at a steady rate, however long the answers take, unless `mayBegin` holds them up. A letter keeps its id through all its attempts, and
 * most letters have an Idempotency-Key. A pause is at least as long as Retry-After asks.
 */
export function startPosting(options: PostingOptions): PostingClient {
  const { lettersPerSecond, seed, mayBegin = () => true } = options
  const stopping = new AbortController()
  const givingUp = new AbortController()
  const asking = { ...options, chance: seededChance(seed, 'others'), signal: givingUp.signal }
  const begun: Promise<void>[] = []
  let unanswered = 0
  const untilThen = (ms: number) =>
    pause(Math.max(0, ms), undefined, { signal: stopping.signal }).catch(() => {})
  const begin = async (number: number) => {
    unanswered += 1
    const chance = seededChance(seed, `letter ${number}`)
    try {
      await post({ ...options, chance, signal: givingUp.signal }, number)
    } catch (error) {
      if (!givingUp.signal.aborted) throw error
    } finally {
      unanswered -= 1
    }
  }
  const beginning = (async () => {
    let next = performance.now()
    while (!stopping.signal.aborted) {
      if (!mayBegin(unanswered)) {
        await untilThen(lookAgainMs)
        next = performance.now()
        continue
      }
      begun.push(begin(begun.length))
      next += 1_000 / lettersPerSecond
      await untilThen(next - performance.now())
    }
  })()
  return {
    asking,
    finish: async (signal) => {
      stopping.abort()
      await beginning
      const giveUp = () => givingUp.abort()
      signal.addEventListener('abort', giveUp, { once: true })
      if (signal.aborted) giveUp()
      await Promise.all(begun)
      signal.removeEventListener('abort', giveUp)
    },
  }
}

type Sender = PostingOptions & Asking
type Letter = AskingLetter & { number: number }

async function post(sender: Sender, number: number): Promise<void> {
  const { chance, pdfs, calledBackShare } = sender
  const kind = chooseKind(chance, calledBackShare)
  const id = `letter-${number}`
  const letter: Letter = { id, process: `${clientPrefix}${number}`, number, kind }
  const pdf = pdfs[number % pdfs.length]!
  const uploadId = kind.files === 'upload' ? await upload(sender, letter, pdf) : undefined
  if (kind.files === 'upload' && uploadId === undefined) return
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

function chooseKind(chance: Chance, calledBackShare: number): LetterKind {
  const luck = chance()
  const files = luck < inlineShare ? 'inline' : luck < inlineShare + uploadShare ? 'upload' : 'none'
  const hasKey = chance() >= withoutKeyShare
  const isPatient = files !== 'inline' || chance() >= impatientShare
  return { files, hasKey, isPatient, isCalledBack: chance() < calledBackShare }
}

function writeLetter(
  { callbackTarget, retryWindowSeconds }: Sender,
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
    ...(kind.isCalledBack && {
      callbackParams: {
        target: callbackTarget(number),
        retryParams: { enabled: true, maxRetryWindow: retryWindowSeconds },
      },
    }),
  }
}

/**
 * Uploads a file before its letter is posted. Retries at the same address, and at a new one if the upload is refused.
 * Returns the upload's id, or undefined if the service refuses an address.
 */
async function upload(
  sender: Sender,
  letter: Letter,
  pdf: Uint8Array<ArrayBuffer>,
): Promise<string | undefined> {
  for (;;) {
    const made = await untilAnswered(sender, () =>
      ask(sender, letter, {
        operation: 'make-upload',
        path: '/print-request/v1/print/files/upload-url',
      }),
    )
    if (made.status !== 200) return undefined
    const { uploadId, url } = JSON.parse(made.text) as { uploadId: string; url: string }
    const filled = await untilAnswered(sender, () =>
      ask(sender, letter, { operation: 'fill-upload', url, method: 'PUT', body: pdf }),
    )
    if (filled.status === 200) return uploadId
    await pause(sender.backoffMsMax, undefined, { signal: sender.signal })
  }
}
