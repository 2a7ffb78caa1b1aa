import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { renderPrintFault, renderPrintProblem } from '@despatch/contracts/print-request/problems'
import { Problem } from '@despatch/domain/problem'
import { answerBelowRouting } from '@despatch/http/answer-below-routing'
import {
  type ConnectionSettings,
  limitConnections,
  serverOptionsOf,
} from '@despatch/http/connection-limits'
import { defaultHeaders } from '@despatch/http/default-headers'
import { type HealthCheck, readLiveness, shareReadiness } from '@despatch/http/health'
import type { RecordRefusal } from '@despatch/http/request-log'
import type { Service } from '@despatch/http/service'

export type Route = { prefix: `/${string}`; service: Service }

type GatewayChecks = Required<Pick<Service, 'ready' | 'alive'>>

export type Gateway = {
  url: string
  port: number
  /** Forwards requests to the services from now on. Before, and where none is, the gateway answers 503. */
  open(routes: readonly Route[], checks: GatewayChecks): void
  close(): Promise<void>
}

type GatewayOptions = {
  connections: ConnectionSettings
  host: string
  port: number
  /** False: the health checks return only the status. */
  showsChecks: boolean
  /** Records a request that is refused before it has a route, where no service has its address. */
  recordRefusal: RecordRefusal
}

/**
 * Listens on one address for several services in this process and routes each request by its prefix. It listens before
 * they run, so that a port in use is detected at once and readiness can be checked from the start.
 */
export async function startGateway({
  host,
  port,
  showsChecks,
  connections,
  recordRefusal,
}: GatewayOptions): Promise<Gateway> {
  let routes: readonly Route[] = []
  let checks: GatewayChecks = {
    ready: async () => [{ name: 'start', ok: false, reason: 'still starting' }],
    alive: async () => [],
  }
  let readReadiness = shareReadiness(checks.ready)
  const routeOf = (path: string) => routes.find(({ prefix }) => hasPrefix(path, prefix))
  const server = createServer(serverOptionsOf(connections), (request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '/'
    if (path === '/health/live') return void sendLiveness(response, checks.alive, showsChecks)
    if (path === '/health/ready') return void sendReadiness(response, readReadiness, showsChecks)
    const route = routeOf(path)
    if (route) return handOver(route.service, request, response)
    const { status, body } = renderPrintProblem(starting)
    return send(response, status, body)
  })
  // Where no API is, errors have the shape of the print interfaces.
  const own = { renderProblem: renderPrintProblem, renderFault: renderPrintFault, recordRefusal }
  limitConnections(server, connections)
  answerBelowRouting(server, (url) => routeOf(url.split('?', 1)[0]!)?.service.api.refusing ?? own)
  await listen(server, host, port)
  const { port: taken } = server.address() as AddressInfo
  return {
    port: taken,
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${taken}`,
    open: (given, givenChecks) => {
      routes = given
      checks = givenChecks
      readReadiness = shareReadiness(checks.ready)
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
const starting = new Problem('unavailable' as const, 'Despatch is starting')

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
  showsChecks: boolean,
): Promise<void> {
  const checks = await ready()
  const isReady = checks.every(({ ok }) => ok)
  const status = isReady ? 'ready' : 'not-ready'
  send(response, isReady ? 200 : 503, { status, ...(showsChecks && { checks }) })
}

async function sendLiveness(
  response: ServerResponse,
  alive: () => Promise<HealthCheck[]>,
  showsChecks: boolean,
): Promise<void> {
  const { isLive, status, checks } = await readLiveness(alive)
  send(response, isLive ? 200 : 503, { status, ...(showsChecks && checks && { checks }) })
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    ...defaultHeaders,
    'content-type': 'application/json; charset=utf-8',
  })
  response.end(JSON.stringify(body))
}
