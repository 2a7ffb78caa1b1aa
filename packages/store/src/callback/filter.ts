import type {
  CallbackEndReason,
  CallbackStatusFilter,
} from '@despatch/domain/callback/callback-state'
import { type RawBuilder, sql } from 'kysely'

/** Selects callbacks. Without a consumer, those of all consumers. `reason` applies to dead callbacks. */
export type CallbackFilter = {
  consumerId?: string | undefined
  origin?: string | undefined
  status?: CallbackStatusFilter | undefined
  reason?: CallbackEndReason | undefined
  /** The consumer's own id of the print job. */
  jobId?: string | undefined
  createdFrom?: Date | undefined
  /** Exclusive end. */
  createdTo?: Date | undefined
}

/** Returns the SQL condition on rows of `callback` that a filter selects. */
export function chosenBy(filter: CallbackFilter): RawBuilder<boolean> {
  const { consumerId, origin, status, reason, jobId, createdFrom, createdTo } = filter
  const conditions = [
    consumerId !== undefined && sql`callback.consumer_id = ${consumerId}`,
    origin !== undefined && sql`callback.origin = ${origin}`,
    status === 'OPEN' && sql`callback.state in ('DUE', 'WAITING')`,
    status !== undefined && status !== 'OPEN' && sql`callback.state = ${sql.lit(status)}`,
    // PostgreSQL uses the index of dead callbacks only if the statement's text contains its condition.
    reason !== undefined && sql`callback.state = 'DEAD' and callback.end_reason = ${reason}`,
    jobId !== undefined && ofPrintJob(jobId, consumerId),
    createdFrom !== undefined && sql`callback.created_at >= ${createdFrom}`,
    createdTo !== undefined && sql`callback.created_at < ${createdTo}`,
  ].filter((condition) => condition !== false)
  return conditions.length > 0 ? sql<boolean>`${sql.join(conditions, sql` and `)}` : sql`true`
}

/** Looks up each consumer in turn, because the index on print job ids begins with the consumer's id. */
export function ofPrintJob(jobId: string, consumerId: string | undefined) {
  const consumers =
    consumerId === undefined ? sql`consumer` : sql`(select ${consumerId}::uuid as id) consumer`
  return sql`callback.print_job_key = any (array (
    select job.key from ${consumers} cross join lateral (
      select key from print_job where consumer_id = consumer.id and print_job.id = ${jobId} offset 0) job))`
}
