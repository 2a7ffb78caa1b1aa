import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from './eventually.ts'

type ReceivedCallback = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The parsed body if it is JSON, otherwise its text. */
  body: unknown
}

/** How the receiver answers a call. Default: 200, immediately. */
type CallbackAnswer = {
  status?: number
  headers?: Record<string, string>
  body?: string
  delayMs?: number
  /** Closes the connection without an answer. */
  hangUp?: boolean
}

export type CallbackReceiver = AsyncDisposable & {
  /** The address for callbacks. Paths below it are accepted too. */
  url: string
  calls: readonly ReceivedCallback[]
  /** Answers the next calls in this order, and all later calls like the last. */
  answerWith(...answers: [CallbackAnswer, ...CallbackAnswer[]]): void
  /**
   * Returns the first matching call, whether it has arrived already or arrives later. Throws if none arrives within the
   * deadline.
   */
  received(
    fits: (call: ReceivedCallback) => boolean,
    options?: { deadlineMs?: number; message?: string },
  ): Promise<ReceivedCallback>
  stop(): Promise<void>
}

/** Starts an HTTP server on a free port of 127.0.0.1 that records every call. */
export async function startCallbackReceiver(): Promise<CallbackReceiver> {
  const calls: ReceivedCallback[] = []
  let answers: CallbackAnswer[] = [{}]
  const nextAnswer = () => (answers.length > 1 ? answers.shift() : answers[0]) ?? {}
  const server = createServer((request, response) => {
    receive(request)
      .then((call) => {
        calls.push(call)
        return reply(response, nextAnswer())
      })
      .catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    calls,
    answerWith(...given) {
      answers = given
    },
    received: (fits, { deadlineMs = 30_000, message = 'a callback that fits is received' } = {}) =>
      eventually(() => calls.find(fits), { deadlineMs, message }),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function receive(request: IncomingMessage): Promise<ReceivedCallback> {
  const body = await text(request)
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: parseJson(body),
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

async function reply(response: ServerResponse, answer: CallbackAnswer) {
  const { status = 200, headers = {}, body = '', delayMs = 0, hangUp = false } = answer
  if (delayMs > 0) await pause(delayMs, undefined, { ref: false })
  if (hangUp) response.destroy()
  else response.writeHead(status, headers).end(body)
}
