import { type RawBuilder, sql } from 'kysely'
import { type PositionedRows, positionFrom, positionTo } from '../position-at.ts'
import type { CallbackFilter } from './filter.ts'

const callbacksOfConsumer: PositionedRows = {
  table: sql`callback`,
  where: sql`consumer_id = consumer.id`,
  position: sql`position`,
  at: sql`created_at`,
}

/**
 * Returns a condition on the positions of callbacks of `consumer` that were created in the requested time range.
 * Callbacks outside it are not read at all, however many there are.
 */
export function createdWithin({ createdFrom, createdTo }: CallbackFilter): RawBuilder<unknown> {
  const bounds = [
    createdFrom && sql`callback.position >= ${positionFrom(callbacksOfConsumer, createdFrom)}`,
    createdTo && sql`callback.position < ${positionTo(callbacksOfConsumer, createdTo)}`,
  ].filter((bound) => bound !== undefined)
  return bounds.length > 0 ? sql`${sql.join(bounds, sql` and `)}` : sql`true`
}
