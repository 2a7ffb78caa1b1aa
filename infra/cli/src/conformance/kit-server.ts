import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { printFulfilmentBytesMax } from '@despatch/contracts/print-fulfilment/operations'
import type { Answer } from './conformance-case.ts'
import type { Exchange } from './exchange.ts'

type KitServer = { port: number; close(): Promise<void> }

/** Listens for the client's calls. Throws the errors of listening, such as EADDRINUSE. */
export async function startKitServer(
  exchange: Pick<Exchange, 'handle'>,
  { host, port }: { host: string; port: number },
): Promise<KitServer> {
  const server = createServer((request, response) => {
    serve(exchange, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function serve(
  exchange: Pick<Exchange, 'handle'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const answer = await exchange.handle({ method, url, headers, body: await readBody(request) })
  if (answer === 'lost') response.destroy()
  else send(response, answer)
}

/** Reads at most one byte over the limit. That is enough for the API's own response to a body that is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (bytes <= printFulfilmentBytesMax) chunks.push(chunk)
    bytes += chunk.byteLength
  }
  return Buffer.concat(chunks)
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers)
  response.end(body)
}
