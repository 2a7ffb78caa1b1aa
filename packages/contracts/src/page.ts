import { z } from 'zod'
import { integer, text } from './text.ts'

const pageItemsDefault = 50
const pageItemsMax = 100

export const pageQuery = {
  cursor: text({ min: 1, max: 64 }).exactOptional().describe('nextCursor of the previous page'),
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, 'must be a whole number from 1 to 100')
    .transform(Number)
    .default(pageItemsDefault)
    .describe('Maximum number of items in a page'),
}

/** The same for a search whose terms must not be in an address. */
export const pageBody = {
  cursor: pageQuery.cursor,
  limit: integer({ min: 1, max: pageItemsMax })
    .default(pageItemsDefault)
    .describe('Maximum number of items in a page'),
}

export const nextCursor = z
  .string()
  .optional()
  .describe('Pass it as cursor to get the next page. Absent on the last page')

/**
 * Returns the cursor of the next page, or nothing if this page is not full. After a full page the next one may be
 * empty.
 */
export function cursorAfter<Item>(
  items: readonly Item[],
  limit: number,
  cursorOf: (item: Item) => string,
): { nextCursor?: string } {
  const last = items.length === limit ? items.at(-1) : undefined
  return last === undefined ? {} : { nextCursor: cursorOf(last) }
}
