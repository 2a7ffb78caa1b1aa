import type { KeyObject } from 'node:crypto'
import type { TakenCallback } from '@despatch/store/callback/lease'
import { signMessage } from './signing.ts'

const headersOfAll = [
  'content-type',
  'application/json',
  'user-agent',
  'despatch-callbacks',
  // The response is read up to a limit and stored as received, without decompression.
  'accept-encoding',
  'identity',
] as const

type HeaderFacts = {
  authenticationHeader: string | undefined
  /** The consumer's live secrets. Without one, the message is not signed. */
  secrets: readonly KeyObject[]
  /** When this attempt started, by the database's clock. */
  at: Date
  /** W3C traceparent that the receiver may continue. */
  traceContext: string | null
}

/**
 * Returns the headers of one attempt, names and values alternating: the consumer's credentials and the headers of
 * Standard Webhooks 1.0.
 */
export function renderHeaders(
  { id, body, correlationId }: Pick<TakenCallback, 'id' | 'body' | 'correlationId'>,
  { authenticationHeader, secrets, at, traceContext }: HeaderFacts,
): string[] {
  const timestampSeconds = Math.floor(at.getTime() / 1000)
  const headers = [
    ...headersOfAll,
    'webhook-id',
    id,
    'webhook-timestamp',
    String(timestampSeconds),
    'x-correlation-id',
    correlationId,
  ]
  if (traceContext !== null) headers.push('traceparent', traceContext)
  const signature = signMessage({ id, timestampSeconds, body }, secrets)
  if (signature !== undefined) headers.push('webhook-signature', signature)
  if (authenticationHeader !== undefined) headers.push('authorization', authenticationHeader)
  return headers
}
