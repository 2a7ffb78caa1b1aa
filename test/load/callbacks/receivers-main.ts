import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { answerParent } from '../child.ts'
import { monotonicMs } from '../statistics.ts'
import { type Arrivals, type Manner, type Order, originsMax } from './receivers.ts'

/** The receivers of all sides: many origins in one process that receives with node:http alone. */
const slowMs = 10_000

let manners: readonly Manner[] = []
let seen: Arrivals = { arrivedAtMs: {}, calls: 0 }
let arrivals = 0
let keepsCalls = false
let kept: { headers: IncomingHttpHeaders; body: string }[] = []
let awaited: { arrivals: number; end: () => void } | undefined
const waiting = new Set<ServerResponse>()

const servers = Array.from({ length: originsMax }, (_, index) =>
  createServer((request, response) => {
    seen.calls += 1
    const manner = manners[index] ?? 'healthy'
    if (manner === 'healthy') {
      note(String(request.headers['webhook-id']))
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      request.once('end', () => {
        if (keepsCalls) kept.push({ headers: request.headers, body })
        response.writeHead(204).end()
      })
      return
    }
    request.resume()
    waiting.add(response)
    response.once('close', () => waiting.delete(response))
    if (manner === 'slow') setTimeout(() => response.writeHead(204).end(), slowMs)
  }),
)

function note(id: string): void {
  if (seen.arrivedAtMs[id] !== undefined) return
  seen.arrivedAtMs[id] = monotonicMs()
  arrivals += 1
  if (awaited && arrivals >= awaited.arrivals) awaited.end()
}

async function obey(order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'open':
      return servers.map((server) => (server.address() as AddressInfo).port)
    case 'begin':
      ;({ manners, keepsCalls } = order)
      kept = []
      seen = { arrivedAtMs: {}, calls: 0 }
      arrivals = 0
      for (const response of waiting) response.destroy()
      return 'begun'
    case 'await':
      await arrived(order)
      return seen
    case 'count-unsigned':
      return countUnsigned(new Webhook(order.secret))
  }
}

function countUnsigned(webhook: Webhook): number {
  return kept.filter(({ headers, body }) => {
    try {
      webhook.verify(body, headers as Record<string, string>)
      return false
    } catch {
      return true
    }
  }).length
}

function arrived(order: Order & { kind: 'await' }): Promise<void> {
  if (arrivals >= order.arrivals) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(deadline)
      awaited = undefined
      resolve()
    }
    const deadline = setTimeout(end, order.deadlineMs)
    awaited = { arrivals: order.arrivals, end }
  })
}

await Promise.all(
  servers.map(
    (server) =>
      new Promise<void>((open) => {
        server.listen(0, '127.0.0.1', open)
      }),
  ),
)
answerParent(obey)
