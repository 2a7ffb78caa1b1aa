import { createServer } from 'node:net'

/**
 * A server that speaks clamd's protocol, and finds a virus in a file that names one. If held, it answers no call until
 * it is released.
 */
export async function aScanner({ isHeld = false } = {}) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  if (!isHeld) release()
  const server = createServer((socket) => {
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      if (!received.endsWith('\0\0\0\0')) return
      const verdict = received.includes('virus') ? 'Test FOUND' : 'OK'
      void released.then(() => socket.end(`stream: ${verdict}\0`))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  return {
    url: `tcp://127.0.0.1:${port}`,
    release,
    close: () => new Promise((closed) => server.close(closed)),
  }
}
