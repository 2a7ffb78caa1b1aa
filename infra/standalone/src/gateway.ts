import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HealthCheck, readLiveness } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'

export type Route = { prefix: `/${string}`; service: Service }

export type GatewayChecks = Required<Pick<Service, 'ready' | 'alive'>>

export type Gateway = {
  url: string
  port: number
  /** Forwards requests to the services from now on. Before, the gateway answers 503. */
  open(routes: readonly Route[], checks: GatewayChecks): void
  close(): Promise<void>
}

/**
 * Listens on one address for several services in this process and routes each request by its prefix. It listens before
 * they run, so that a port in use is detected at once and readiness can be checked from the start.
 */
export async function startGateway({
  host,
  port,
}: {
  host: string
  port: number
}): Promise<Gateway> {
  let routes: readonly Route[] = []
  let checks: GatewayChecks = {
    ready: async () => [{ name: 'start', ok: false, reason: 'still starting' }],
    alive: async () => [],
  }
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '/'
    if (path === '/health/live') return void sendLiveness(response, checks.alive)
    if (path === '/health/ready') return void sendReadiness(response, checks.ready)
    const route = routes.find(({ prefix }) => hasPrefix(path, prefix))
    if (route) return handOver(route.service, request, response)
    return routes.length > 0 ? send(response, 404, noRoute) : send(response, 503, starting)
  })
  await listen(server, host, port)
  const { port: taken } = server.address() as AddressInfo
  return {
    port: taken,
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${taken}`,
    open: (given, givenChecks) => {
      routes = given
      checks = givenChecks
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), closeDeadlineMs)
      await closed
      clearTimeout(timer)
    },
  }
}

const closeDeadlineMs = 2_000
const noRoute = {
  errors: [{ status: '404 NOT_FOUND', code: 'NotFound', detail: 'The address does not exist' }],
}
const starting = {
  errors: [
    { status: '503 SERVICE_UNAVAILABLE', code: 'Unavailable', detail: 'Despatch is starting' },
  ],
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function hasPrefix(path: string, prefix: string): boolean {
  return prefix === '/' || path === prefix || path.startsWith(`${prefix}/`)
}

function handOver({ api }: Service, request: IncomingMessage, response: ServerResponse): void {
  api.routing(request, response)
}

async function sendReadiness(
  response: ServerResponse,
  ready: () => Promise<HealthCheck[]>,
): Promise<void> {
  const checks = await ready().catch(() => [{ name: 'checks', ok: false, reason: 'failed' }])
  const isReady = checks.every(({ ok }) => ok)
  send(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not-ready', checks })
}

async function sendLiveness(
  response: ServerResponse,
  alive: () => Promise<HealthCheck[]>,
): Promise<void> {
  const { isLive, ...body } = await readLiveness(alive)
  send(response, isLive ? 200 : 503, body)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}
