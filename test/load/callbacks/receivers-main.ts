import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from '../child.ts'
import { monotonicMs } from '../statistics.ts'
import { type Arrivals, type Manner, type Order, originsMax } from './receivers.ts'

/** The receivers of both sides: several origins in one process that uses only node:http. */
const slowMs = 10_000

let manners: readonly Manner[] = []
let seen: Arrivals = { arrivedAtMs: {}, calls: 0 }
let arrivals = 0
let awaited: { arrivals: number; end: () => void } | undefined
const waiting = new Set<ServerResponse>()

const servers = Array.from({ length: originsMax }, (_, index) =>
  createServer((request, response) => {
    seen.calls += 1
    const manner = manners[index] ?? 'healthy'
    if (manner === 'healthy') {
      note(String(request.headers['webhook-id']))
      request.resume().once('end', () => response.writeHead(204).end())
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
      manners = order.manners
      seen = { arrivedAtMs: {}, calls: 0 }
      arrivals = 0
      for (const response of waiting) response.destroy()
      return 'begun'
    case 'await':
      await arrived(order)
      return seen
  }
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
