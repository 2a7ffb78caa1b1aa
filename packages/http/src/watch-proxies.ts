import { findProxyFault, sharingConsumersMin } from '@despatch/domain/access/trusted-proxies'
import type { FastifyInstance } from 'fastify'

type WatchProxiesOptions = {
  prefix: string
  trustedProxies: number
  /** Milliseconds of a clock that never goes back. */
  nowMs?: () => number
}

const windowMs = 60 * 60 * 1000
const sourcesMax = 1_000

/**
 * Logs a warning, once an hour at most, if requests below the prefix show that DESPATCH_TRUSTED_PROXIES is wrong. Only
 * requests of identified consumers count, so that strangers cannot cause it.
 */
export function watchProxies(
  api: FastifyInstance,
  { prefix, trustedProxies, nowMs = () => performance.now() }: WatchProxiesOptions,
): void {
  let windowEndsMs = 0
  let hasWarned = false
  const consumersOf = new Map<string, Set<unknown>>()

  /** Adds the consumer of a request, and returns how many its source has. */
  function addConsumer(source: string, consumerId: unknown): number {
    const consumers = consumersOf.get(source) ?? new Set()
    if (consumersOf.size < sourcesMax) consumersOf.set(source, consumers)
    if (consumers.size < sharingConsumersMin) consumers.add(consumerId)
    return consumers.size
  }

  api.addHook('onResponse', (request, reply, done) => {
    done()
    const header = request.headers['x-forwarded-for']
    const consumerId = request.caller?.consumerId ?? request.logFields?.consumerId
    if (header === undefined || consumerId === undefined || reply.statusCode >= 400) return
    if (!request.routeOptions.url?.startsWith(`${prefix}/`)) return
    if (nowMs() >= windowEndsMs) {
      windowEndsMs = nowMs() + windowMs
      hasWarned = false
      consumersOf.clear()
    }
    if (hasWarned) return
    const forwarded = String(header).split(',').length
    const consumers = addConsumer(request.ip, consumerId)
    const fault = findProxyFault({ trustedProxies, forwarded, source: request.ip, consumers })
    if (!fault) return
    hasWarned = true
    const setting = 'DESPATCH_TRUSTED_PROXIES'
    api.log.warn({ setting, trustedProxies, forwarded, fault }, 'trusted-proxies.wrong')
  })
}
