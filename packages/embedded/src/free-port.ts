import { createServer } from 'node:net'

/**
 * A TCP port of 127.0.0.1 that nobody listens on, for a server that must be told its port.
 * Somebody may take it before that server does: try again with another one then.
 */
export async function findFreePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const probe = createServer()
  probe.once('error', reject)
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address()
    const port = typeof address === 'object' && address ? address.port : 0
    probe.close(() => resolve(port))
  })
  return promise
}
