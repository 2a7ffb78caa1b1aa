import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

/** A call as the consumer saw it. Times are milliseconds since 1970. */
export type ReceivedCall = {
  origin: string
  /** Its webhook-id. */
  id: string
  /** The SHA-256 of the body, in hexadecimal. */
  sha256: string
  arrivedAt: number
  /** When it was answered, or when the caller had gone. Undefined: the call is still under way. */
  endedAt?: number
  /** Whether the consumer accepted the call, even if its answer was lost. */
  isAccepted: boolean
}
export type KeptCall = ReceivedCall & { headers: IncomingHttpHeaders; body: string }

export type ReceiverAnswer = {
  status: number
  delayMs?: number
  body?: string
  /** The connection is cut instead of an answer. */
  isCut?: boolean
  /** Writes the answer instead of the receiver. The status still decides whether the call counts as accepted. */
  write?: (response: ServerResponse) => void
}

export type ReceiverOptions = {
  /** The address to listen on. Default: a free port of 127.0.0.1. */
  address?: { host: string; port: number }
  /** Returns the answer to a call, by its id and the number of earlier calls with this id. */
  answer?: (call: { id: string; callsBefore: number }) => ReceiverAnswer
  /** Receives every call with its headers and body. */
  keep?: (call: KeptCall) => void
}

/** A consumer's server that records every call. It keeps its port while it is shut. */
export type RecordingReceiver = AsyncDisposable & {
  origin: string
  calls: readonly ReceivedCall[]
  callsUnderWay(): number
  /** The number of connections, including those on which nothing was sent. */
  connections(): number
  /** Refuses new connections, and cuts open ones. */
  shut(): Promise<void>
  open(): Promise<void>
}

const taken: ReceiverAnswer = { status: 204 }

export async function startRecordingReceiver({
  address: { host, port: wantedPort } = { host: '127.0.0.1', port: 0 },
  answer = () => taken,
  keep,
}: ReceiverOptions = {}): Promise<RecordingReceiver> {
  const calls: ReceivedCall[] = []
  const callsOf = new Map<string, number>()
  let underWay = 0
  let connections = 0
  let server: Server | undefined
  let port = wantedPort
  let origin = ''

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedAt = Date.now()
    const { headers } = request
    const id = String(headers['webhook-id'])
    const body = await buffer(request)
    const callsBefore = callsOf.get(id) ?? 0
    callsOf.set(id, callsBefore + 1)
    const answered = answer({ id, callsBefore })
    const { status, delayMs = 0, body: text = '', isCut = false, write } = answered
    const call: ReceivedCall = {
      origin,
      id,
      sha256: hash('sha256', body),
      arrivedAt,
      isAccepted: status >= 200 && status < 300,
    }
    calls.push(call)
    keep?.({ ...call, headers, body: body.toString() })
    underWay += 1
    const end = () => {
      if (call.endedAt !== undefined) return
      call.endedAt = Date.now()
      underWay -= 1
    }
    response.once('close', end)
    if (delayMs > 0) await pause(delayMs)
    end()
    if (write) write(response)
    else if (isCut) response.destroy()
    else response.writeHead(status).end(text)
  }

  async function open(): Promise<void> {
    if (server) return
    server = createServer((request, response) => {
      // A call does not count if its caller is killed while sending.
      receive(request, response).catch(() => response.destroy())
    })
    server.on('connection', () => {
      connections += 1
    })
    server.listen(port, host)
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    origin = `http://${host}:${port}`
  }

  async function shut(): Promise<void> {
    if (!server) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    server = undefined
    await closed
  }

  await open()
  return {
    origin,
    calls,
    callsUnderWay: () => underWay,
    connections: () => connections,
    open,
    shut,
    [Symbol.asyncDispose]: shut,
  }
}
