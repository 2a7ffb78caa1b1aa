import { createServer } from 'node:net'

/**
 * Returns a free TCP port of 127.0.0.1, for a server that must be given its port. Another process may take the port
 * before that server does; the caller must then retry with another one.
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
