import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonErrorPlace } from '@despatch/domain/json/json-error'
import type { ExceededJsonLimit } from '@despatch/domain/json/json-scan'
import { type ParsedJson, parseJson, repeatedMember } from '@despatch/domain/json/parse-json'
import { renderOwnPath } from '@despatch/domain/json/path'
import { type FieldFault, invalidFields, Problem } from '@despatch/domain/problem'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'

// Printable ASCII, because the value is repeated in a response header and in the log.
const usable = /^[\x20-\x7e]{1,255}$/

/**
 * Returns the caller's X-Correlation-ID if it can be repeated (1 to 255 printable ASCII characters), otherwise a new
 * UUID.
 */
export function correlationIdOf({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers['x-correlation-id']
  return typeof given === 'string' && usable.test(given) ? given : randomUUID()
}

export const bodyDepthMax = 32
export const bodyValuesMaxDefault = 50_000

export function bodyTooLarge({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): Problem {
  const detail = `The request body is too large: at most ${routeOptions.bodyLimit} bytes are accepted`
  return new Problem('body-too-large', detail)
}

/** Returns the problem of a JSON body that exceeds a limit. */
export function jsonLimitExceeded(exceeded: ExceededJsonLimit, valuesMax: number): Problem {
  const detail =
    exceeded === 'depth'
      ? `Objects and arrays in the request body must be nested at most ${bodyDepthMax} deep`
      : `The request body must have at most ${valuesMax} values`
  return new Problem('unreadable-body', detail)
}

/**
 * Parses a JSON body. Returns undefined for an empty body, so that a client may send Content-Type with no body. Throws
 * a Problem 'unreadable-body' that repeats nothing of the body except the path of a member that occurs twice in its
 * object. A body of more than `valuesMax` values, or of arrays and objects nested more than 32 deep, is refused before
 * it is parsed. A few megabytes of brackets would keep the process from its other requests for seconds, and take a
 * gigabyte of memory.
 */
export function parseJsonBody(body: Buffer, valuesMax: number): unknown {
  if (body.length === 0) return undefined
  return jsonValueOf(parseJson(body, { depthMax: bodyDepthMax, valuesMax }), valuesMax)
}

/** Returns the value of a JSON body, or throws the Problem of `parseJsonBody`. */
export function jsonValueOf(parsed: ParsedJson, valuesMax: number): unknown {
  switch (parsed.kind) {
    case 'value':
      return parsed.value
    case 'exceeded':
      throw jsonLimitExceeded(parsed.limit, valuesMax)
    case 'not-utf8':
      throw new Problem('unreadable-body', 'The request body must be UTF-8')
    case 'not-json':
      throw new Problem('unreadable-body', notJson(parsed.at))
    case 'repeated':
      throw new Problem('unreadable-body', repeatedMember(renderOwnPath(parsed.path)))
  }
}

function notJson(at: JsonErrorPlace): string {
  const must = 'The request body must be JSON'
  if (at === 'end') return `${must}. It ends too early`
  return `${must}. It is broken at line ${at.line}, character ${at.character}`
}

/** Converts the issues that zod found in `input` into violations that name the field. */
export type FaultsOf = (issues: readonly z.core.$ZodIssue[], input: unknown) => FieldFault[]

type Validated = { value: unknown } | { error: Problem }

/**
 * Creates Fastify's validator for one part of a request. Each request is validated once, and the handler receives what
 * the schema returns, without unknown members. A schema is compiled for its first request, so that a service starts
 * without delay.
 */
export function createValidatorCompiler(faultsOf: FaultsOf) {
  return ({ schema }: { schema: z.ZodType }) => {
    let compiled: z.ZodType | undefined
    return (input: unknown): Validated => {
      compiled ??= z.compile(schema)
      const result = compiled.safeParse(input)
      if (result.success) return { value: result.data }
      return { error: invalidFields(faultsOf(result.error.issues, input)) }
    }
  }
}

/** Violations for an API that has no codes of its own. */
export const plainFaults: FaultsOf = (issues) =>
  issues.map(({ path, code, message }) => {
    const field = path.join('.') || 'body'
    return { field, code, detail: `${field}: ${message}` }
  })
