import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands in front of processes that come and go, and loses answers when it is told to. */
export type CuttingGateway = AsyncDisposable & {
  url: string
  /** What begins with the prefix goes to these in turn. While there are none, connections are closed without an answer. */
  route(prefix: string, targets: readonly string[]): void
  /**
   * Lets the next such request through and throws its answer away: the caller sees a connection that breaks. Gives the
   * status that it did not see.
   */
  cutNext(method: string, path: RegExp): Promise<number>
}

type Cut = { method: string; path: RegExp; done: (status: number) => void }

export async function startCuttingGateway(): Promise<CuttingGateway> {
  const routes = new Map<string, { targets: readonly string[]; next: number }>()
  const cuts: Cut[] = []
  const agent = new Agent({ keepAlive: true })

  function takeTarget(path: string): string | undefined {
    const route = [...routes].find(([prefix]) => path.startsWith(prefix))?.[1]
    if (!route || route.targets.length === 0) return
    route.next = (route.next + 1) % route.targets.length
    return route.targets[route.next]
  }

  function takeCut({ method, url = '' }: IncomingMessage): Cut | undefined {
    const index = cuts.findIndex((cut) => cut.method === method && cut.path.test(url))
    return index < 0 ? undefined : cuts.splice(index, 1)[0]
  }

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '', headers } = request
    const target = takeTarget(url)
    if (!target) {
      request.socket.destroy()
      return
    }
    const cut = takeCut(request)
    const upstream = requestOf(new URL(url, target), { method, headers, agent })
    upstream.on('error', () => response.destroy())
    upstream.on('response', (answer) => {
      answer.on('error', () => response.destroy())
      if (!cut) {
        response.writeHead(answer.statusCode!, answer.rawHeaders)
        answer.pipe(response)
        return
      }
      answer.resume()
      answer.on('end', () => {
        response.destroy()
        cut.done(answer.statusCode!)
      })
    })
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  }

  const server = createServer(forward)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    route: (prefix, targets) => {
      routes.set(prefix, { targets, next: 0 })
    },
    cutNext: (method, path) => {
      const { promise, resolve } = Promise.withResolvers<number>()
      cuts.push({ method, path, done: resolve })
      return promise
    },
    [Symbol.asyncDispose]: async () => {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
