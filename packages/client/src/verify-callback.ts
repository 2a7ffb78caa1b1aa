import { DespatchError } from './despatch-error.ts'
import type { Open } from './open.ts'
import type { DespatchProperty, PrintJobStatus } from './print-job.ts'
import { type WebCrypto, webCrypto } from './web-crypto.ts'

/** The body of a callback. Members of `data` depend on its `type`; later releases may add types and members. */
export type CallbackMessage = {
  specVersion: string
  type: Open<
    | 'despatch.print.messages.v2.PrintJobStatus'
    | 'despatch.print.messages.v1.LetterReturned'
    | 'despatch.print.messages.v1.TestMessage'
  >
  source: string
  /** The same in every attempt: ignore an id that you have processed. */
  id: string
  time: string
  dataContentType: string
  data: {
    /** Absent in a test message. */
    jobId?: string | undefined
    jobType?: string | undefined
    templateReference?: string | undefined
    jobStatus?: PrintJobStatus | undefined
    transitionDate?: string | undefined
    /** Of two statuses of a print job, the one with the higher sequence is newer. */
    sequence: number
    comment?: string | undefined
    despatchProperties?: DespatchProperty[] | undefined
    /** Of a returned letter, as are the next three. */
    reasonCode?: string | undefined
    reason?: string | undefined
    disposition?: Open<'DESTROYED' | 'FORWARDED'> | undefined
    returnedDate?: string | undefined
  }
  metadata: { correlationId: string }
}

/** Headers of a request, as Node.js and frameworks have them, or as `Headers`. */
export type CallbackHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type ReceivedCallback = {
  headers: CallbackHeaders
  /** The bytes as they came, before anything parses them. */
  body: Uint8Array | string
  /** Your live secrets, each with its `whsec_`: one signature that matches is enough. */
  secrets: readonly string[]
  /** How far the timestamp may be from this clock, in seconds. Default 300. */
  toleranceSeconds?: number | undefined
  /** Default: the clock. In seconds since 1970. */
  nowSeconds?: number | undefined
}

/**
 * Returns the message of a callback that one of the secrets has signed. Throws a DespatchError of the kind
 * `not-verified` otherwise: answer 401 and do nothing else with it. Throws a TypeError if a secret is empty.
 */
export async function verifyCallback(received: ReceivedCallback): Promise<CallbackMessage> {
  const { body, secrets, toleranceSeconds = 300, nowSeconds = Date.now() / 1_000 } = received
  const id = headerOf(received.headers, 'webhook-id')
  const sentAt = headerOf(received.headers, 'webhook-timestamp')
  const given = headerOf(received.headers, 'webhook-signature').split(' ')
  const crypto = await webCrypto()
  const keys = await Promise.all(secrets.map((secret) => keyOf(crypto, secret)))
  if (id === '' || !/^\d{1,12}$/.test(sentAt)) throw notVerified('it has no id or no timestamp')
  if (Math.abs(Math.floor(nowSeconds) - Number(sentAt)) > toleranceSeconds) {
    throw notVerified('its timestamp is too far from the clock')
  }

  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const content = concatenate(new TextEncoder().encode(`${id}.${sentAt}.`), bytes)
  for (const signature of given.map(bytesOfSignature)) {
    if (!signature) continue
    for (const key of keys) {
      // takes as long for any two signatures: it does not tell how much of a guess was right
      if (await crypto.subtle.verify('HMAC', key, signature, content)) {
        return JSON.parse(new TextDecoder().decode(bytes))
      }
    }
  }
  throw notVerified('no secret has signed it')
}

function notVerified(why: string): DespatchError {
  return new DespatchError(`the callback is not from Despatch: ${why}`, { kind: 'not-verified' })
}

/** Returns a header with one value, whatever the case of its name. Despatch never sends several values. */
function headerOf(headers: CallbackHeaders, name: string): string {
  const values =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? value : []))
  const [value, ...others] = Array.isArray(values) ? values : [values]
  return typeof value === 'string' && others.length === 0 ? value : ''
}

async function keyOf({ subtle }: WebCrypto, secret: string) {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes?.length) throw new TypeError('a secret is empty or not base64')
  return subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function bytesOfSignature(signature: string): Uint8Array<ArrayBuffer> | undefined {
  // `atob` accepts other spellings too
  return /^v1,[A-Za-z0-9+/]{43}=$/.test(signature) ? bytesOf(signature.slice(3)) : undefined
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concatenate(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
