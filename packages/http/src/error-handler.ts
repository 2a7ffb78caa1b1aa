import { randomUUID } from 'node:crypto'
import { Problem } from '@despatch/domain/problem'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addToLogLine } from './request-log.ts'
import { findOutage, retryAfterSeconds, temporarilyUnavailable } from './unavailable-answer.ts'

/** An answer that refuses. */
export type WireError = {
  status: number
  body: unknown
  headers?: Readonly<Record<string, string>>
}

/** How one API writes problems (the caller's business) and faults (ours: an id and nothing else). */
export type ErrorRenderer = {
  renderProblem(problem: Problem): WireError
  renderFault(errorId: string): WireError
}

const faultsLoggedMax = 20

/** The one place where an error becomes an answer. A Problem reads as the API's table says. */
export function createErrorHandler(renderer: ErrorRenderer) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = problemOf(error, request)
    if (problem) {
      addToLogLine(request, { problem: problem.kind, ...faultsForLog(problem) })
      return sendError(reply, renderer.renderProblem(problem))
    }
    return sendError(reply, renderUnexpected(error, reply, renderer, 'request.failed'))
  }
}

/**
 * Writes what is no Problem. While a dependency is away: 503 with Retry-After, and the log line of the request names the
 * dependency, without a line of its own, since an outage fails many requests. Anything else is a fault of ours: the error
 * goes to the log as `event` under a fresh id, and only the id goes out.
 */
export function renderUnexpected(
  error: unknown,
  reply: FastifyReply,
  { renderProblem, renderFault }: ErrorRenderer,
  event: string,
): WireError {
  const { request } = reply
  const outage = findOutage(error)
  if (outage) {
    addToLogLine(request, outage)
    reply.header('retry-after', retryAfterSeconds())
    return renderProblem(temporarilyUnavailable())
  }
  const errorId = randomUUID()
  addToLogLine(request, { errorId })
  request.log.error({ errorId, err: error }, event)
  return renderFault(errorId)
}

/** What the framework refuses is the caller's business too. */
function problemOf(error: unknown, request: FastifyRequest): Problem | undefined {
  const { raw, body } = request
  if (error instanceof Problem) return error
  const { code } = error as { code?: unknown }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body-too-large', 'The request body is too large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(
        'unsupported-media-type',
        `The Content-Type must be ${contentTypeOf(request)}`,
      )
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem(
        'unreadable-body',
        'The request body is not as long as Content-Length says',
      )
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_NOT_FOUND':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('route-not-found', 'There is nothing at this address')
    default:
      // the caller went away while sending: nobody reads the answer, and it is no fault of ours
      if (body === undefined && raw.destroyed && !raw.complete) {
        return new Problem('unreadable-body', 'The request ended before its body did')
      }
  }
}

/** What the route says that it takes. */
function contentTypeOf({ routeOptions }: FastifyRequest): string {
  const { consumes = ['application/json'] } = (routeOptions.schema ?? {}) as {
    consumes?: readonly string[]
  }
  return consumes.join(' or ')
}

// Field paths come from the schemas, never from what was sent.
function faultsForLog({ faults }: Problem): { faults?: string[] } {
  if (faults.length === 0) return {}
  return { faults: faults.slice(0, faultsLoggedMax).map(({ field, code }) => `${field} ${code}`) }
}

function sendError(reply: FastifyReply, { status, body, headers = {} }: WireError): FastifyReply {
  // an operation may have said for how long the answer may be kept that it did not come to give
  if (reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', retryAfterSeconds())
  }
  return reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body))
}
