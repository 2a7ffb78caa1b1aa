import { Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { type JsonReader, startJsonReader } from '@despatch/domain/json/parse-json'
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify'
import { delayOf, forward, hasBody, isDropped, isLarge } from './pace-bodies.ts'
import {
  bodyDepthMax,
  bodyTooLarge,
  bodyValuesMaxDefault,
  jsonLimitExceeded,
} from './read-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Checks the limits of the body while it arrives. Null: nothing has arrived, or they are checked once it is there. */
    bodyReader: JsonReader | null
  }
  interface FastifyContextConfig {
    /** True if bodies are forwarded to a service, which knows the caller and reads them at its pace. */
    forwardsBodies?: boolean
  }
}

/**
 * Reads the large bodies of routes registered after this call at the pace of their caller. Below the prefix, a JSON
 * body that exceeds a limit is refused at the byte that exceeds it.
 */
export function readLargeBodies(
  api: FastifyInstance,
  {
    prefix,
    bodyValuesMax: valuesMax = bodyValuesMaxDefault,
  }: { prefix: string; bodyValuesMax?: number },
): void {
  const startReader = () => startJsonReader({ depthMax: bodyDepthMax, valuesMax })

  function readPart(request: FastifyRequest, reader: JsonReader, part: Buffer): void {
    request.bodyReader = reader
    const exceeded = reader.push(part)
    if (exceeded) throw jsonLimitExceeded(exceeded, valuesMax)
  }

  api.decorateRequest('bodyReader', null)
  api.addHook('onRoute', (route) => {
    const isParsed = route.url.startsWith(`${prefix}/`)
    const readBody: preParsingHookHandler = (request, reply, payload, done) => {
      const isRead = request.method !== 'GET' && request.method !== 'HEAD'
      const { forwardsBodies } = request.routeOptions.config
      if (!isRead || !(isLarge(request) || (forwardsBodies && hasBody(request)))) {
        return done(null, payload)
      }
      const reader = isParsed && isJson(request) ? startReader() : undefined
      const takePart = reader && ((part: Buffer) => readPart(request, reader, part))
      const body = paced(request, payload as Readable, takePart)
      if (forwardsBodies) forward(request, reply, body)
      done(null, body)
    }
    route.preParsing = [readBody, ...[route.preParsing ?? []].flat()]
  })
}

/** Returns the body at the pace of its caller, or nothing of it if `takePart` takes it. */
function paced(request: FastifyRequest, payload: Readable, takePart?: (part: Buffer) => void) {
  const { bodyLimit, config } = request.routeOptions
  let bytes = 0
  async function* read() {
    // A refused body is read to its end for its sender.
    for await (const part of payload.iterator({ destroyOnReturn: false })) {
      if (isDropped(request)) return
      const ms = config.forwardsBodies ? 0 : delayOf(request, part.length)
      bytes += part.length
      // The framework compares it with Content-Length.
      body.receivedEncodedLength = bytes
      if (takePart && bytes > bodyLimit) throw bodyTooLarge(request)
      takePart?.(part)
      // Many parts may have arrived: other requests run between them.
      await (ms > 0 ? pause(ms, undefined, { ref: false }) : nextTurn())
      if (!takePart) yield part
    }
  }
  const body: Readable & { receivedEncodedLength?: number } = Readable.from(read(), {
    objectMode: false,
  })
  // The framework stops listening once it has refused the body.
  body.on('error', () => {})
  return body
}

function isJson({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().startsWith('application/json') ?? false
}
