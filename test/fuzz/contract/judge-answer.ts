import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { closed } from '../../stack/dereference.ts'
import type { FuzzRequest } from './make-request.ts'
import { nameOf, type Schema } from './operations.ts'
import type { Answer, Outcome } from './send.ts'

/** A defect of an answer. The same rule and detail are one defect, however many requests show it. */
export type Fault = { rule: string; detail: string }

export type Judge = (request: FuzzRequest, outcome: Outcome) => Fault | undefined

/** Statuses of 500 and above that are valid if documented: a dependency is away or slow. */
const documentedOutages: ReadonlySet<number> = new Set([502, 503, 504])

/**
 * Checks answers against the documents: status, content type, the schema of the body, and the headers of all answers.
 */
export function createJudge(): Judge {
  // the formats in our documents also have a pattern
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const validators = new WeakMap<Schema, ValidateFunction>()
  // error schemas are the same throughout an API, and compiling a schema takes milliseconds
  const byText = new Map<string, ValidateFunction>()

  function validatorOf(schema: Schema): ValidateFunction {
    const known = validators.get(schema)
    if (known) return known
    const text = JSON.stringify({ ...schema, description: undefined })
    const validate = byText.get(text) ?? ajv.compile(closed(schema))
    byText.set(text, validate)
    validators.set(schema, validate)
    return validate
  }

  function faultOfBody(schema: Schema, value: unknown): string | undefined {
    const validate = validatorOf(schema)
    if (validate(value)) return undefined
    const [error] = validate.errors!
    const { instancePath, message, params } = error!
    const extra = 'additionalProperty' in params ? ` (${params.additionalProperty})` : ''
    return `${instancePath.replace(/\/\d+/g, '/*')} ${message}${extra}`
  }

  return (request, outcome) => {
    if ('broke' in outcome) {
      return isCutShort(request, outcome) ? undefined : { rule: 'answers', detail: outcome.broke }
    }
    const { operation } = request
    const { answer } = outcome
    const { status } = answer
    if (isAsked(request, status)) return undefined
    if (status >= 500 && !documentedOutages.has(status)) {
      return { rule: 'no fault of the service', detail: String(status) }
    }
    const documented = operation.responses[status]
    if (!documented) return { rule: 'documented status', detail: String(status) }
    const header = faultOfHeaders(answer)
    if (header) return { rule: 'headers', detail: `${status}: ${header}` }
    return faultOfContent(answer, documented, faultOfBody)
  }
}

const bodyBytesCutShort = 64 * 1024

/**
 * A server may close the connection while the client is still sending a body that the server has refused as too large.
 */
function isCutShort({ body }: FuzzRequest, { broke }: { broke: string }): boolean {
  return (body?.length ?? 0) > bodyBytesCutShort && /EPIPE|ECONNRESET/.test(broke)
}

/** The receiver of the test environment answers with the status in its address, without a body. */
function isAsked({ operation, path }: FuzzRequest, status: number): boolean {
  return nameOf(operation) === 'uat/receiveCallback' && String(status) === path.behaviour
}

function faultOfHeaders({ status, headers }: Answer): string | undefined {
  if (headers['x-correlation-id'] === undefined) return 'no X-Correlation-ID'
  if ((status === 503 || status === 429) && !/^\d+$/.test(String(headers['retry-after']))) {
    return 'no Retry-After'
  }
  return undefined
}

function faultOfContent(
  { status, headers, body }: Answer,
  documented: Readonly<Record<string, Schema>>,
  faultOfBody: (schema: Schema, value: unknown) => string | undefined,
): Fault | undefined {
  const types = Object.keys(documented)
  if (types.length === 0) {
    return body.length > 0 ? { rule: 'empty body', detail: `${status}` } : undefined
  }
  const [type = ''] = String(headers['content-type'] ?? 'none').split(';')
  const schema = documented[type]
  if (!schema) return { rule: 'content type', detail: `${status}: ${type}` }
  if (type !== 'application/json') return undefined
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    return { rule: 'readable JSON', detail: `${status}` }
  }
  const fault = faultOfBody(schema, value)
  return fault === undefined
    ? undefined
    : { rule: 'body as described', detail: `${status}: ${fault}` }
}
