import { renderHeaders } from '@despatch/callbacks/headers'
import { outcomeOfStatus } from '@despatch/domain/callback/attempt-outcome'
import { request } from 'undici'
import { reasonOf } from '../session.ts'
import { keyOfSecret, type Receiver } from './receiver.ts'

/** A message of a callback. The receiver gets its bytes. */
export type Message = { id: string; body: Buffer; correlationId: string }

/** What the receiver did. Without an answer, `failure` says why. */
export type Forwarded = {
  callbackId: string
  outcome: string
  httpStatus?: number
  failure?: string
}

/** Like Despatch, which ends an attempt after this time. */
const answerMsMax = 15_000

/**
 * Sends a message with the headers of Despatch, signed with the secret of the receiver. Never follows a redirect. Ends
 * without an answer when `interrupt` aborts.
 */
export async function forwardMessage(
  message: Message,
  { to, secret }: Receiver,
  interrupt?: AbortSignal,
): Promise<Forwarded> {
  const headers = renderHeaders(message, {
    authenticationHeader: undefined,
    secrets: [keyOfSecret(secret)],
    at: new Date(),
    traceContext: null,
  })
  const { id: callbackId } = message
  try {
    const timeout = AbortSignal.timeout(answerMsMax)
    const signal = interrupt ? AbortSignal.any([interrupt, timeout]) : timeout
    const { body } = message
    const response = await request(to, { method: 'POST', headers, body, signal })
    // its body is of no use, and a stream that is destroyed early emits an error
    response.body.on('error', () => {}).destroy()
    const { statusCode: httpStatus } = response
    return { callbackId, outcome: outcomeOfStatus(httpStatus), httpStatus }
  } catch (error) {
    return { callbackId, outcome: 'no answer', failure: reasonOf(error) }
  }
}

export function renderForwarded({ outcome, httpStatus, failure }: Forwarded): string {
  return httpStatus === undefined ? `${outcome} (${failure})` : `${outcome} (${httpStatus})`
}
