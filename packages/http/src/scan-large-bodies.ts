import { Transform } from 'node:stream'
import { type JsonScan, startJsonScan } from '@despatch/domain/json/json-limits'
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify'
import { delayOf, isLarge } from './pace-bodies.ts'
import { bodyDepthMax, bodyValuesMaxDefault, jsonLimitExceeded } from './read-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Scans the body while it arrives. Null: it is scanned once it is there. */
    bodyScan: JsonScan | null
  }
}

/**
 * Scans large JSON bodies of routes below the prefix while they arrive, at the pace of their caller. So one that exceeds
 * a limit is refused at the byte that does, and is not collected first: joining a body of 12 MB keeps the process from
 * its other requests for many milliseconds. A smaller body is scanned once it is there, which costs less.
 */
export function scanLargeBodies(
  api: FastifyInstance,
  {
    prefix,
    bodyValuesMax: valuesMax = bodyValuesMaxDefault,
  }: { prefix: string; bodyValuesMax?: number },
): void {
  const scanBody: preParsingHookHandler = (request, _reply, payload, done) => {
    const isRead = request.method !== 'GET' && request.method !== 'HEAD'
    if (!isRead || !isLarge(request) || !isJson(request)) return done(null, payload)
    const scan = startJsonScan({ depthMax: bodyDepthMax, valuesMax })
    const scanned = new Transform({
      transform: (part: Buffer, _encoding, passOn) => {
        const ms = delayOf(request, part.length)
        const exceeded = scan.push(part)
        if (exceeded) return passOn(jsonLimitExceeded(exceeded, valuesMax))
        if (ms === 0) passOn(null, part)
        else setTimeout(passOn, ms, null, part).unref()
      },
      flush: (end) => {
        const exceeded = scan.end()
        end(exceeded && jsonLimitExceeded(exceeded, valuesMax))
      },
    })
    request.bodyScan = scan
    // The framework stops to listen once it has refused the body.
    scanned.on('error', () => {})
    payload.on('error', (error: Error) => scanned.destroy(error))
    done(null, payload.pipe(scanned))
  }
  api.decorateRequest('bodyScan', null)
  api.addHook('onRoute', (route) => {
    // other routes pass bodies on, to services with limits of their own
    if (!route.url.startsWith(`${prefix}/`)) return
    route.preParsing = [scanBody, ...[route.preParsing ?? []].flat()]
  })
}

function isJson({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().startsWith('application/json') ?? false
}
