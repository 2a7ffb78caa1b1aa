import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { aSmallApi } from './a-small-api.ts'

/** More than one server takes. */
export const attackers = 400
const connectionsMax = 300

export async function anApi({
  host = '127.0.0.1',
  isGivingUp = true,
  max = connectionsMax,
  requestsMax = 1_000,
  handler = async (): Promise<object> => ({ ok: true }),
} = {}) {
  const { api } = await aSmallApi({
    // another limit, which must not be what protects the others here
    sourceRequestsPerSecond: 100_000,
    admission: { requestsMax, bodyBytesMax: 1_000_000_000 },
    connections: { DESPATCH_CONNECTIONS_MAX: max },
  })
  api.route({
    method: 'POST',
    url: '/things/v1/things',
    config: { open: true },
    schema: { body: z.unknown() },
    handler,
  })
  if (!isGivingUp) Object.assign(api.server, { headersTimeout: 0, requestTimeout: 0 })
  const { port } = new URL(await api.listen({ host, port: 0 }))
  return { api, port: Number(port) }
}

/** Opens connections that send the given text and nothing more. */
export async function openMany(port: number, count: number, text = ''): Promise<Socket[]> {
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const batch = 200
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(batch, count - sockets.length) }, () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.resume()
      if (text) socket.write(text)
      return socket
    })
    sockets.push(...some)
    await Promise.all(some.map((socket) => once(socket, 'connect')))
  }
  return sockets
}

/** Sends one request from another address, on a connection of its own, and returns its status. */
export async function askFromElsewhere(
  port: number,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const asked = request({
    port,
    host: '127.0.0.1',
    localAddress: '127.0.0.2',
    agent: false,
    method: 'POST',
    path: '/things/v1/things',
    headers: { 'content-type': 'application/json' },
    signal,
  })
  const answered = once(asked, 'response')
  asked.end('{}')
  const [answer] = await answered
  answer.resume()
  return answer.statusCode
}

/** Resolves once all are closed, in order or by an error. */
export const closing = (sockets: readonly Socket[]) =>
  Promise.all(
    sockets.map(
      (socket) => socket.destroyed || new Promise((resolve) => socket.once('close', resolve)),
    ),
  )
