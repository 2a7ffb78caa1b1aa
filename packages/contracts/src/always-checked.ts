import { z } from 'zod'

/**
 * Adds a rule that is checked even if a member is invalid, because every violation is reported. zod does not compile such
 * a rule. A valid value is therefore parsed by a compiled schema whose rule is checked last.
 */
export function alwaysChecked<Schema extends z.ZodType>(
  schema: Schema,
  rule: (value: unknown, context: z.core.$RefinementCtx) => void,
): Schema {
  const compiled = z.compile(schema.superRefine(rule))
  return z.withParser(schema.superRefine(rule, { when: () => true }), (value) => {
    // zod parses optional members that a request leaves out too, and ignores their failure.
    if (value === undefined) return z.INVALID
    const result = compiled.safeParse(value)
    return result.success ? result.data : z.INVALID
  })
}
