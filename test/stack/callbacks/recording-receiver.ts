import { createHash } from 'node:crypto'
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

/** A call as the consumer saw it. Moments are milliseconds since 1970. */
export type ReceivedCall = {
  origin: string
  /** Its webhook-id. */
  id: string
  /** Of the body, in hexadecimal. */
  sha256: string
  arrivedAt: number
  /** When it was answered, or the caller was gone. Undefined: it is still under way. */
  endedAt?: number
  /** The consumer has taken it, whether or not its answer gets through. */
  isAccepted: boolean
}
export type KeptCall = ReceivedCall & { headers: IncomingHttpHeaders; body: string }

export type ReceiverAnswer = {
  status: number
  delayMs?: number
  body?: string
  /** The connection breaks instead of the answer. */
  isCut?: boolean
  /** Answers in a way of its own. The status says whether it counts as taken. */
  write?: (response: ServerResponse) => void
}

export type ReceiverOptions = {
  /** What it listens on. Default: a free port of 127.0.0.1. */
  address?: { host: string; port: number }
  /** Told of the id, and how many calls of this id there were before. */
  answer?: (call: { id: string; callsBefore: number }) => ReceiverAnswer
  /** Keeps headers and bodies too. */
  keep?: (call: KeptCall) => void
}

/** A consumer's server that keeps a record of every call, on a port that stays its own while it is shut. */
export type RecordingReceiver = AsyncDisposable & {
  origin: string
  calls: readonly ReceivedCall[]
  callsUnderWay(): number
  /** How many connections it got, whether or not something was sent. */
  connections(): number
  /** From now on connections are refused; those that are open break. */
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
      sha256: createHash('sha256').update(body).digest('hex'),
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
      // A caller that is killed while it sends has not called.
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
