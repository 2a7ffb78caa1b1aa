import { type FieldFault, invalidFields, type Problem } from '@despatch/domain/problem'
import type { z } from 'zod'

/** Converts the issues that zod found in `input` into violations that name the field. */
export type FaultsOf = (issues: readonly z.core.$ZodIssue[], input: unknown) => FieldFault[]

type Validated = { value: unknown } | { error: Problem }

/**
 * Creates Fastify's validator for one part of a request. Each request is validated once, and the handler receives what
 * the schema returns, without unknown members.
 */
export function createValidatorCompiler(faultsOf: FaultsOf) {
  return ({ schema }: { schema: z.ZodType }) =>
    (input: unknown): Validated => {
      const result = schema.safeParse(input)
      if (result.success) return { value: result.data }
      return { error: invalidFields(faultsOf(result.error.issues, input)) }
    }
}

/** Violations for an API that has no codes of its own. */
export const plainFaults: FaultsOf = (issues) =>
  issues.map(({ path, code, message }) => {
    const field = path.join('.') || 'body'
    return { field, code, detail: `${field}: ${message}` }
  })
