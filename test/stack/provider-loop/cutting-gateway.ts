import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** A gateway in front of processes that start and stop. It can lose answers on request. */
export type CuttingGateway = AsyncDisposable & {
  url: string
  /**
   * Routes requests with this prefix to the targets in turn. Without targets, connections are closed without an answer.
   */
  route(prefix: string, targets: readonly string[]): void
  /**
   * Forwards the next such request and discards its answer: the caller sees its connection break. Returns the status
   * that the caller did not see.
   */
  cutNext(method: string, path: RegExp): Promise<number>
  /** Whether requests are routed to this process now. */
  isRouted(target: string): boolean
  /** The requests so far that got no answer, or an answer that reports a fault of the service: `POST /path 503`. */
  failures(): readonly string[]
}

type Cut = { method: string; path: RegExp; done: (status: number) => void }

/**
 * Without `keepAlive`, each request has its own connection to its target. A target closes a connection that is idle for
 * 5 s, which loses a request that is on its way.
 */
export async function startCuttingGateway({ keepAlive = true } = {}): Promise<CuttingGateway> {
  const routes = new Map<string, { targets: readonly string[]; next: number }>()
  const cuts: Cut[] = []
  const agent = new Agent({ keepAlive })
  const failures: string[] = []

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
    const { method, url = '' } = request
    const target = takeTarget(url)
    const fail = (outcome: string) => void failures.push(`${method} ${url} ${outcome}`)
    if (!target) {
      fail('no service')
      request.socket.destroy()
      return
    }
    const cut = takeCut(request)
    relay(request, response, { target, cut, agent, fail })
  }

  // Callers close their connections: one that is closed here may have a request on its way.
  const server = createServer({ keepAliveTimeout: 0 }, forward)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    route: (prefix, targets) => {
      routes.set(prefix, { targets, next: routes.get(prefix)?.next ?? 0 })
    },
    isRouted: (target) => [...routes.values()].some(({ targets }) => targets.includes(target)),
    cutNext: (method, path) => {
      const { promise, resolve } = Promise.withResolvers<number>()
      cuts.push({ method, path, done: resolve })
      return promise
    },
    failures: () => failures,
    [Symbol.asyncDispose]: async () => {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Forwards the request to its target, and the answer to the caller unless it is cut. */
function relay(
  request: IncomingMessage,
  response: ServerResponse,
  {
    target,
    cut,
    agent,
    fail,
  }: { target: string; cut: Cut | undefined; agent: Agent; fail: (outcome: string) => void },
): void {
  const { method, url = '', headers } = request
  const upstream = requestOf(new URL(url, target), { method, headers, agent })
  upstream.on('error', ({ message }) => {
    // It is no failure if the caller has gone.
    if (!response.destroyed) fail(message)
    response.destroy()
  })
  upstream.on('response', (answer) => {
    if (answer.statusCode! >= 500) fail(String(answer.statusCode))
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
