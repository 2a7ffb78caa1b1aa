import { createServer, type Socket } from 'node:net'

export type ScriptedScanner = { url: string; [Symbol.asyncDispose](): Promise<void> }

/** A server that treats each connection as the test's script says, to break the protocol where clamd would not. */
export async function aScriptedScanner(script: (socket: Socket) => void): Promise<ScriptedScanner> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    script(socket)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `tcp://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
