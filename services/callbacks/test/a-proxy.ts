import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export type Answer = (request: IncomingMessage, socket: Socket) => void
const address = '127.0.0.1'

/** A proxy that connects to this machine, whatever the address is. Returns its port and what it was asked for. */
export async function aProxy(answer: Answer = connects) {
  const asked: { url: string | undefined; host: unknown; credentials: unknown }[] = []
  const server = createServer((_request, response) => response.writeHead(405).end())
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (request, socket: Socket) => {
    const { host, 'proxy-authorization': credentials } = request.headers
    asked.push({ url: request.url, host, credentials })
    socket.on('error', () => {})
    answer(request, socket)
  })
  await once(server.listen(0, address), 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, asked }
}

export function connects(request: IncomingMessage, socket: Socket): void {
  const port = Number(/:(\d+)$/.exec(request.url ?? '')?.[1])
  const onward = connect(port, address, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.pipe(onward).pipe(socket)
  })
  onward.on('error', () => socket.destroy())
}
