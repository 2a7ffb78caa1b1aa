import type { CallKind } from './operation-names.ts'

/** What the kit did to a call on purpose. */
export type Fault =
  | 'reply-lost'
  | 'unavailable'
  | 'token-expired'
  | 'manifest-corrupted'
  | 'link-expired'

/** A call of the client. What is optional is absent until it has been answered. */
export type Call = {
  /** Since the case began. */
  atMs: number
  method: string
  /** With the query, as it was sent. */
  url: string
  kind: CallKind
  params: Readonly<Record<string, string>>
  /** The print runs that it is about; none for calls that are about no single one. */
  batchNumbers: readonly string[]
  idempotencyKey?: string
  hasAuthorization: boolean
  hasApiKey: boolean
  /** What of the credentials stands in the address. */
  secretInUrl?: 'user name' | 'password' | 'API key' | 'token'
  body?: unknown
  bodyBytes: Uint8Array
  /** Documents whose bytes went out with the answer. */
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

/** The code of the first error of an answer that refuses. */
export function errorCodeOf({ answer }: Call): string | undefined {
  const { errors } = (answer ?? {}) as { errors?: { code?: string }[] }
  return errors?.[0]?.code
}
