import { z } from 'zod'
import { alwaysChecked } from './always-checked.ts'
import { customIssue } from './text.ts'

type ListRules<Item> = {
  max: number
  /** Members whose values must be unique within the list. */
  unique: readonly (keyof Item & string)[]
}

/**
 * Schema of a list of 1 to `max` objects. A longer list is refused before its items are checked: every violation of
 * every item is reported, so otherwise a small body of empty objects would produce a huge response.
 */
export function list<Item extends Record<string, unknown>>(
  item: z.ZodType<Item>,
  { max, unique }: ListRules<Item>,
) {
  const items = alwaysChecked(z.array(item, arrayOf(item)).min(1), (values, context) => {
    if (!Array.isArray(values)) return
    for (const member of unique) {
      for (const index of repeated(values, member)) {
        context.addIssue({ ...customIssue(repeats, values), path: [index, member] })
      }
    }
  })
  const tooLong = { code: 'Size', message: `size must be between 1 and ${max}` }

  return z
    .preprocess((value, context) => {
      if (Array.isArray(value) && value.length > max) {
        context.addIssue(customIssue(tooLong, undefined))
      }
      return value
    }, items)
    .meta({ maxItems: max })
}

function arrayOf(item: z.ZodType): string {
  const members = item instanceof z.ZodObject ? Object.keys(item.shape) : []
  return members.length > 0
    ? `must be an array of objects with ${members.join(' and ')}`
    : 'must be an array'
}

const repeats = { code: 'Duplicate', message: 'must be unique within the list' }

/** Returns the indexes whose value of the member repeats that of an earlier item. */
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
