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
}

export type ReceiverOptions = {
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
  /** From now on connections are refused; those that are open break. */
  shut(): Promise<void>
  open(): Promise<void>
}

const taken: ReceiverAnswer = { status: 204 }

export async function startRecordingReceiver({
  answer = () => taken,
  keep,
}: ReceiverOptions = {}): Promise<RecordingReceiver> {
  const calls: ReceivedCall[] = []
  const callsOf = new Map<string, number>()
  let underWay = 0
  let server: Server | undefined
  let port = 0
  let origin = ''

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedAt = Date.now()
    const { headers } = request
    const id = String(headers['webhook-id'])
    const body = await buffer(request)
    const callsBefore = callsOf.get(id) ?? 0
    callsOf.set(id, callsBefore + 1)
    const { status, delayMs = 0, body: text = '', isCut = false } = answer({ id, callsBefore })
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
    if (isCut) response.destroy()
    else response.writeHead(status).end(text)
  }

  async function open(): Promise<void> {
    if (server) return
    server = createServer((request, response) => {
      // A caller that is killed while it sends has not called.
      receive(request, response).catch(() => response.destroy())
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    origin = `http://127.0.0.1:${port}`
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
  return { origin, calls, callsUnderWay: () => underWay, open, shut, [Symbol.asyncDispose]: shut }
}
