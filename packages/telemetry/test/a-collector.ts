import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** Starts a collector that keeps what it gets until the test ends, and answers with `status`. */
export async function aCollector<Sent>(status: () => number = () => 200) {
  const calls: { url: string; headers: IncomingHttpHeaders; sent: Sent }[] = []
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    calls.push({ url, headers, sent: (await json(request)) as Sent })
    response.writeHead(status(), { 'content-type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
