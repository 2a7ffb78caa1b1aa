import type { CallKind } from './operation-names.ts'

/** What the kit did to a call on purpose. */
export type Fault =
  | 'reply-lost'
  | 'unavailable'
  | 'token-expired'
  | 'manifest-corrupted'
  | 'link-expired'

/** A call of the client. Optional members are absent until it has been answered. */
export type Call = {
  /** Milliseconds since the case began. */
  atMs: number
  method: string
  /** With the query, as sent. */
  url: string
  kind: CallKind
  params: Readonly<Record<string, string>>
  /** The print runs that it concerns. Empty if it concerns no single run. */
  batchNumbers: readonly string[]
  idempotencyKey?: string
  hasAuthorization: boolean
  token?: string
  hasApiKey: boolean
  /** Which part of the credentials the address contains. */
  secretInUrl?: 'user name' | 'password' | 'API key' | 'token'
  body?: unknown
  bodyBytes: Uint8Array
  /** Documents whose bytes were sent with the response. */
  served: readonly { documentId: string; isAltered: boolean }[]
  fault?: Fault
  status?: number
  answer?: unknown
  answerBytes?: Uint8Array
  retryAfterSeconds?: number
}

export function isDone({ status = 0, fault }: Call): boolean {
  return status >= 200 && status < 400 && fault !== 'reply-lost'
}

/** Returns the code of the first error of an error response. */
export function errorCodeOf({ answer }: Call): string | undefined {
  const { errors } = (answer ?? {}) as { errors?: { code?: string }[] }
  return errors?.[0]?.code
}
