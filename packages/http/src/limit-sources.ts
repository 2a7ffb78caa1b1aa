import { sourceOf } from '@despatch/domain/access/source-address'
import { Problem } from '@despatch/domain/problem'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addToLogLine } from './request-log.ts'

type SourceLimitOptions = {
  requestsPerSecond: number
  /** Milliseconds of a clock that never goes back. */
  nowMs?: () => number
}

/** Takes one request of the source of an address. Returns false if the source is above its rate. */
type TakeFromSource = (ip: string) => boolean

export const sourceRequestsPerSecondDefault = 50
/** The first page of the console loads seventy files at once. */
const atOnceMin = 100
const burstSeconds = 10
/** About 5 MB. A source that is forgotten begins with its whole burst. */
const sourcesMax = 20_000

/**
 * Limits each source address in this process: `requestsPerSecond` for any length of time, and ten times as many at once
 * after a pause, at least 100. All IPv6 addresses with the same first 64 bits are one source.
 */
export function createSourceLimit({
  requestsPerSecond,
  nowMs = () => performance.now(),
}: SourceLimitOptions): TakeFromSource {
  const atOnce = Math.max(atOnceMin, burstSeconds * requestsPerSecond)
  const sources = new Map<string, { left: number; atMs: number }>()
  return (ip) => {
    const source = sourceOf(ip)
    const atMs = nowMs()
    const known = sources.get(source) ?? { left: atOnce, atMs }
    const earned = ((atMs - known.atMs) / 1_000) * requestsPerSecond
    const left = Math.min(atOnce, known.left + earned)
    // The source that was seen least recently comes first.
    sources.delete(source)
    if (sources.size >= sourcesMax) sources.delete(sources.keys().next().value!)
    sources.set(source, { left: left >= 1 ? left - 1 : left, atMs })
    return left >= 1
  }
}

/**
 * Applies the limit to every open route registered after this call, within and outside the prefix of the API, before
 * anything else is done for the request. Returns a function that applies it to a request of no route.
 */
export function limitOpenRoutes(
  api: FastifyInstance,
  options: SourceLimitOptions,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const take = createSourceLimit(options)
  function obey(request: FastifyRequest, reply: FastifyReply): void {
    if (take(request.ip)) return
    addToLogLine(request, { limit: 'source' })
    reply.header('retry-after', '1')
    throw new Problem(
      'too-many-requests',
      `Too many requests: the limit for one address is ${options.requestsPerSecond} per second`,
    )
  }
  api.addHook('onRoute', (route) => {
    if (!route.config?.open || isProbe(route.url)) return
    route.onRequest = [
      (request, reply, done) => {
        obey(request, reply)
        done()
      },
      ...[route.onRequest ?? []].flat(),
    ]
  })
  return obey
}

/**
 * A refused probe would take a service out of use, and behind a proxy all probes have its address. Their answers are
 * shared for a second, so any number of them costs little.
 */
function isProbe(url: string): boolean {
  return url === '/health/live' || url === '/health/ready'
}
