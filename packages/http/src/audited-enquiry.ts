import {
  type Enquiry,
  type EnquiryOutcome,
  isEnquiryPurpose,
  outcomeOf,
  purposePattern,
} from '@despatch/domain/enquiry/audited-enquiry'
import { invalidFields } from '@despatch/domain/problem'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Api } from './api.ts'
import { type ErrorRenderer, renderUnexpected } from './error-handler.ts'

/** What an operation knows of an enquiry. What it leaves out is kept as unknown. */
export type EnquiryDescription = {
  /** Keyed hash of the normalised number. */
  numberHash?: Buffer | null
  /** Names and choices of the request, such as `includeCPC`: never a value that somebody typed. */
  asked?: readonly string[]
  /** How it ended when the answer does not refuse: found, unless told otherwise. */
  outcome?: EnquiryOutcome
  /** How many a search gave. */
  results?: number | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set from when the caller has been let in until the enquiry has been audited. */
    enquiry: (EnquiryDescription & { purpose: string | null }) | null
  }
}

export type EnquiryAuditOptions = ErrorRenderer & {
  service: Enquiry['service']
  /** Keeps the enquiry. Settles when it is kept for good, and is rejected when it is not. */
  audit: (enquiry: Enquiry) => Promise<void>
}

/**
 * Has each request to a closed route that is added from now on audited once, before its answer goes out, whatever the
 * answer is: also when the body cannot be read, a source fails or we do. A request that is turned away before its caller
 * is known and within the limits is no enquiry. When the audit cannot be kept, the answer is a fault and nothing else, or
 * 503 while the database is away.
 * Call it after `createApi`, before the routes are added.
 */
export function auditEnquiries(api: Api, options: EnquiryAuditOptions): void {
  api.decorateRequest('enquiry', null)
  const auditAnswer = createAnswerAudit(options)
  api.addHook('onRoute', (route) => {
    if (route.config?.open) return
    // after the hooks that find the caller and hold it to its limits
    route.onRequest = [...[route.onRequest ?? []].flat(), beginEnquiry]
    route.onSend = [...[route.onSend ?? []].flat(), auditAnswer]
  })
}

/**
 * Adds to what is kept of the enquiry. Call it as soon as something is known, so that it is kept of a failure too. Without
 * `auditEnquiries` it does nothing.
 */
export function describeEnquiry({ enquiry }: FastifyRequest, known: EnquiryDescription): void {
  if (enquiry) Object.assign(enquiry, known)
}

const purposeHeader = 'X-Enquiry-Purpose'

/** Every operation of an enquiry service takes it: give it as `openapi.parameters` of the API. */
export const enquiryPurposeParameter = {
  name: purposeHeader,
  in: 'header',
  required: false,
  description: 'Purpose of the enquiry: a word or a reference of yours. It is stored in the audit.',
  schema: { type: 'string', pattern: purposePattern },
} as const

function beginEnquiry(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const given = request.headers['x-enquiry-purpose']
  request.enquiry = { purpose: null }
  if (given !== undefined) {
    if (typeof given !== 'string' || !isEnquiryPurpose(given)) throw wrongPurpose()
    request.enquiry.purpose = given
  }
  done()
}

function wrongPurpose() {
  const detail = `${purposeHeader} must match "${purposePattern}"`
  return invalidFields([{ field: purposeHeader, code: 'Pattern', detail }])
}

function createAnswerAudit({ service, audit, ...renderer }: EnquiryAuditOptions) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    _payload: unknown,
    done: () => void,
  ): Promise<unknown> | undefined => {
    const { enquiry } = request
    if (!enquiry) {
      done()
      return
    }
    // an answer that fails on its way out comes by again as a fault
    request.enquiry = null
    const status = reply.statusCode
    const { numberHash = null, asked = [], outcome, purpose, results = null } = enquiry
    return audit({
      consumerId: request.caller.consumerId,
      service,
      numberHash,
      outcome: outcomeOf(status, outcome),
      status,
      correlationId: request.id,
      purpose,
      asked,
      results,
    }).catch((error: unknown) => replaceByError(reply, error, renderer))
  }
}

/** Headers that tell nothing of what was found. */
const harmlessHeaders = new Set([
  'x-correlation-id',
  'x-service-request-id',
  'api-spec-version',
  'ratelimit-policy',
  'ratelimit',
])

// Throwing here would end in the framework's own error answer when the answer is an error already.
function replaceByError(reply: FastifyReply, error: unknown, renderer: ErrorRenderer): string {
  for (const name of Object.keys(reply.getHeaders())) {
    if (!harmlessHeaders.has(name)) reply.removeHeader(name)
  }
  const {
    status,
    body,
    headers = {},
  } = renderUnexpected(error, reply, renderer, 'enquiry-audit.failed')
  reply.code(status).headers(headers).type('application/json; charset=utf-8')
  return JSON.stringify(body)
}
