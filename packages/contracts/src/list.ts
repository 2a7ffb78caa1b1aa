import { z } from 'zod'
import { customIssue } from './text.ts'

export type ListRules<Item> = {
  max: number
  /** Members whose values may not repeat within the list. */
  unique: readonly (keyof Item & string)[]
}

/**
 * A list of 1 to `max` objects. A longer one is refused before its items are looked at, since every fault of every
 * item is told: otherwise a small body of empty objects would make an answer without end.
 */
export function list<Item extends Record<string, unknown>>(
  item: z.ZodType<Item>,
  { max, unique }: ListRules<Item>,
) {
  const items = z
    .array(item)
    .min(1)
    .superRefine(
      (values, context) => {
        if (!Array.isArray(values)) return
        for (const member of unique) {
          for (const index of repeated(values, member)) {
            context.addIssue({ ...customIssue(repeats, values), path: [index, member] })
          }
        }
      },
      // also when an item has a fault of its own: every fault is told
      { when: () => true },
    )
  const tooLong = { code: 'Size', message: `size must be between 1 and ${max}` }

  return z
    .unknown()
    .superRefine((value, context) => {
      if (!Array.isArray(value) || value.length <= max) return
      context.addIssue({ ...customIssue(tooLong, undefined), continue: false })
    })
    .pipe(items)
    .meta({ ...jsonSchemaOf(items), maxItems: max })
}

const repeats = { code: 'Duplicate', message: 'must be unique within the list' }

/** The places whose value of the member is that of an earlier item. */
function repeated(values: readonly unknown[], member: string): number[] {
  const seen = new Set<unknown>()
  return values.flatMap((value, index) => {
    const key = (value as Record<string, unknown> | null)?.[member]
    if (typeof key !== 'string') return []
    if (seen.has(key)) return [index]
    seen.add(key)
    return []
  })
}

// what stands before the pipe accepts anything, so its JSON schema would say nothing
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'input' })
  return jsonSchema
}
