import { sourceOf } from '@despatch/domain/access/source-address'
import { Counter, Gauge, type Registry } from '@despatch/telemetry/metrics'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AdmissionLimits, createAdmission, type Place, type Shed } from './admission.ts'
import { addToLogLine } from './request-log.ts'
import { temporarilyUnavailable } from './unavailable-answer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while the request counts as under way. */
    place: (Place & { hasBegun?: boolean; isAnswered?: boolean }) | null
  }
}

type ShedLoadOptions = AdmissionLimits & { prefix: string; metrics: Registry }

const mebibyte = 1024 * 1024

/** One for all refusals: a stack trace for each would be the largest part of what a refusal costs. */
const refusal = temporarilyUnavailable()

/** The load that a service accepts at once unless its settings change it. */
export const admissionDefaults: AdmissionLimits = { requestsMax: 512, bodyBytesMax: 64 * mebibyte }

/**
 * Answers requests with 503 and Retry-After while the process is at its limits. This applies to routes below the prefix
 * registered after this call, before the caller is authenticated and before the body is read. A consumer above its
 * share is refused once it is known, and so is a source address above its share of an open route. Health and metrics
 * are outside the prefix. Call it after the hook that authenticates the caller is in place.
 *
 * A request is under way until it is answered, even if its caller disconnects, because its work continues.
 */
export function shedLoad(api: FastifyInstance, options: ShedLoadOptions): void {
  const { prefix, metrics, ...limits } = options
  const admission = createAdmission(limits)
  const shed = new Counter({
    name: 'http_requests_shed_total',
    help: 'Requests rejected with 503 because of overload, by the limit that was reached',
    labelNames: ['reason'],
    registers: [metrics],
  })
  new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that the process is handling',
    registers: [metrics],
    collect() {
      this.set(admission.requests)
    },
  })

  function refuse(request: FastifyRequest, reason: Shed): Error {
    shed.inc({ reason })
    addToLogLine(request, { shed: reason })
    return refusal
  }

  function leave(request: FastifyRequest): void {
    if (!request.place) return
    admission.leave(request.place)
    request.place = null
  }

  function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void {
    const entered = admission.enter(bodyBytesOf(request))
    if (typeof entered === 'string') {
      done(refuse(request, entered))
      return
    }
    request.place = entered
    // 'close' is also emitted when the caller disconnects. Work that has begun then continues; a request of which the
    // caller or the body is not known yet goes no further.
    reply.raw.once('close', () => {
      if (request.place?.isAnswered || !request.place?.hasBegun) leave(request)
    })
    done()
  }

  function assign(
    request: FastifyRequest,
    _reply: FastifyReply,
    done: (error?: Error) => void,
  ): void {
    const { place, caller, routeOptions } = request
    // Without a caller, an address has a share, so that it cannot keep all others from an open route.
    const source = routeOptions.config.open ? `source ${sourceOf(request.ip)}` : undefined
    const sharer = caller?.consumerId ?? source
    const refusal = place && sharer && admission.assign(place, sharer)
    if (refusal) leave(request)
    done(refusal ? refuse(request, refusal) : undefined)
  }

  function begin({ place }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
    if (place) place.hasBegun = true
    done()
  }

  api.decorateRequest('place', null)
  api.addHook('onRoute', (route) => {
    if (!route.url.startsWith(`${prefix}/`)) return
    route.onRequest = [enter, ...[route.onRequest ?? []].flat(), assign]
    route.preValidation = [begin, ...[route.preValidation ?? []].flat()]
  })
  api.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.raw.destroyed) leave(request)
    else if (request.place) request.place.isAnswered = true
    done()
  })
}

/** Bytes to count for the body: its content-length, or the largest accepted body if the length is not declared. */
export function bodyBytesOf({ headers, routeOptions }: FastifyRequest): number {
  const { bodyLimit = 0 } = routeOptions
  if (headers['transfer-encoding'] !== undefined) return bodyLimit
  return Math.min(Number(headers['content-length'] ?? 0) || 0, bodyLimit)
}
