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
import { defaultHeaders } from './default-headers.ts'
import { type ErrorRenderer, renderUnexpected } from './error-handler.ts'

/** What an operation knows of an enquiry. Fields that it omits are audited as unknown. */
type EnquiryDescription = {
  /** Keyed hash of the normalised number. */
  numberHash?: Buffer | null
  /** Names of fields and options of the request, such as `includeCPC`. Never a value that the caller typed. */
  asked?: readonly string[]
  /** The outcome of a response that is not an error. Default: found. */
  outcome?: EnquiryOutcome
  /** Number of results of a search. */
  results?: number | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the caller is authenticated and within its limits; null again once the enquiry is audited. */
    enquiry: (EnquiryDescription & { purpose: string | null }) | null
  }
}

type EnquiryAuditOptions = ErrorRenderer & {
  service: Enquiry['service']
  /** Saves the enquiry. Resolves once it is stored durably and rejects otherwise. */
  audit: (enquiry: Enquiry) => Promise<void>
}

/**
 * Audits every request to an authenticated route registered after this call, exactly once, before replying. Errors are
 * audited too: an unreadable body, a failed source, a fault of ours. A request that is refused before its caller is
 * authenticated and within the limits is not an enquiry. If the audit cannot be saved, the response is a fault without
 * any result, or 503 while the database is unavailable. Call it after `createApi` and before the routes are registered.
 */
export function auditEnquiries(api: Api, options: EnquiryAuditOptions): void {
  api.decorateRequest('enquiry', null)
  const auditAnswer = createAnswerAudit(options)
  api.addHook('onRoute', (route) => {
    if (route.config?.open) return
    // After the hooks that authenticate the caller and apply its limits.
    route.onRequest = [...[route.onRequest ?? []].flat(), beginEnquiry]
    route.onSend = [...[route.onSend ?? []].flat(), auditAnswer]
  })
}

/**
 * Adds to the audit of the enquiry. Call it as soon as something is known, so that a later failure is audited with it.
 * Does nothing without `auditEnquiries`.
 */
export function describeEnquiry({ enquiry }: FastifyRequest, known: EnquiryDescription): void {
  if (enquiry) Object.assign(enquiry, known)
}

const purposeHeader = 'X-Enquiry-Purpose'

/** Every operation of an enquiry service takes this header: pass it in `openapi.parameters` of the API. */
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
    // A response that fails while it is sent passes here again as a fault.
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

/** Headers that reveal nothing about the result. */
const harmlessHeaders = new Set([
  ...Object.keys(defaultHeaders),
  'x-correlation-id',
  'x-service-request-id',
  'api-spec-version',
  'ratelimit-policy',
  'ratelimit',
])

// If the response is already an error, throwing here would send the framework's own error body.
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
