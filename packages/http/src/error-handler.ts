import { randomUUID } from 'node:crypto'
import { Problem } from '@despatch/domain/problem'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { defaultHeaders } from './default-headers.ts'
import { nameMeantMembers } from './name-meant-members.ts'
import { bodyTooLarge } from './read-request.ts'
import { addToLogLine } from './request-log.ts'
import { findOutage, retryAfterSeconds, temporarilyUnavailable } from './unavailable-answer.ts'

/** An error response. */
type WireError = {
  status: number
  body: unknown
  headers?: Readonly<Record<string, string>>
}

/** How one API writes problems (violations by the caller) and faults (ours: only an id is sent). */
export type ErrorRenderer = {
  /** Returns undefined for a problem that the API does not raise, which is therefore a fault. */
  renderProblem(problem: Problem): WireError | undefined
  renderFault(errorId: string): WireError
}

const faultsLoggedMax = 20

/**
 * Creates the only handler that turns an error into a response. The renderer of the API at the URL of the request
 * decides how a Problem is written.
 */
export function createErrorHandler(rendererAt: (url: string) => ErrorRenderer) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const renderer = rendererAt(request.url)
    const found = problemOf(error, request)
    const problem = found && nameMeantMembers(found, request)
    const rendered = problem && renderer.renderProblem(problem)
    if (rendered) {
      addToLogLine(request, { problem: problem.kind, ...faultsForLog(problem) })
      return sendError(reply, rendered)
    }
    return sendError(reply, renderUnexpected(error, reply, renderer, 'request.failed'))
  }
}

/**
 * Sends the response for an error that is not a Problem. While a dependency is unavailable: 503 with Retry-After. The
 * log line of the request then names the dependency; there is no extra line, because an outage fails many requests. Any
 * other error is a fault: the error is logged as `event` under a new id, and the response contains only that id.
 */
export function renderUnexpected(
  error: unknown,
  reply: FastifyReply,
  { renderProblem, renderFault }: ErrorRenderer,
  event: string,
): WireError {
  const { request } = reply
  const outage = findOutage(error)
  const unavailable = outage && renderProblem(temporarilyUnavailable())
  if (unavailable) {
    addToLogLine(request, outage)
    reply.header('retry-after', retryAfterSeconds())
    return unavailable
  }
  const errorId = randomUUID()
  addToLogLine(request, { errorId })
  request.log.error({ errorId, err: error }, event)
  return renderFault(errorId)
}

/** Errors that the framework raises for a bad request are violations too. */
function problemOf(error: unknown, request: FastifyRequest): Problem | undefined {
  const { raw, body } = request
  if (error instanceof Problem) return error
  const { code } = error as { code?: unknown }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(request)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(
        'unsupported-media-type',
        `The Content-Type must be ${contentTypeOf(request)}`,
      )
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem(
        'unreadable-body',
        'The length of the request body differs from Content-Length',
      )
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_NOT_FOUND':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('route-not-found', 'The address does not exist')
    default:
      // The caller disconnected while sending. Nobody reads the response, and it is not our fault.
      if (body === undefined && raw.destroyed && !raw.complete) {
        return new Problem('unreadable-body', 'The request ended before its body was complete')
      }
  }
}

/** The media types that the route accepts. */
function contentTypeOf({ routeOptions }: FastifyRequest): string {
  const { consumes = ['application/json'] } = (routeOptions.schema ?? {}) as {
    consumes?: readonly string[]
  }
  return consumes.join(' or ')
}

// Field paths come from the schemas. One that the caller chose is left out.
function faultsForLog({ faults }: Problem): { faults?: string[] } {
  if (faults.length === 0) return {}
  const logged = faults.slice(0, faultsLoggedMax)
  return {
    faults: logged.map(({ field, code, isNamedByCaller }) =>
      isNamedByCaller ? code : `${field} ${code}`,
    ),
  }
}

function sendError(reply: FastifyReply, { status, body, headers = {} }: WireError): FastifyReply {
  // The operation may have set a Cache-Control for the response that this error replaces.
  reply.headers(defaultHeaders)
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', retryAfterSeconds())
  }
  return reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body))
}
