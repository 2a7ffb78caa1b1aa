import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { renderHeaders } from '@despatch/callbacks/delivery/headers'
import { outcomeOfStatus } from '@despatch/domain/callback/attempt-outcome'
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
  const names = renderHeaders(message, {
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
    const httpStatus = await post(new URL(to), { names, body, signal })
    return { callbackId, outcome: outcomeOfStatus(httpStatus), httpStatus }
  } catch (error) {
    return { callbackId, outcome: 'no answer', failure: reasonOf(error) }
  }
}

type Request = {
  /** Names and values of headers in turn. */
  names: readonly string[]
  body: Buffer
  signal: AbortSignal
}

/** Returns the status of the answer. `fetch` would add headers that Despatch does not send. */
async function post(url: URL, { names, body, signal }: Request): Promise<number> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = send(url, { method: 'POST', signal, agent: false })
  for (let at = 0; at < names.length; at += 2) request.setHeader(names[at]!, names[at + 1]!)
  request.once('response', resolve).on('error', reject).end(body)
  const answer = await promise
  answer.on('error', () => {}).destroy()
  return answer.statusCode!
}

export function renderForwarded({ outcome, httpStatus, failure }: Forwarded): string {
  return httpStatus === undefined ? `${outcome} (${failure})` : `${outcome} (${httpStatus})`
}
