import type { CallbackEndReason, CallbackState } from '@despatch/domain/callback/callback-state'
import { type RawBuilder, sql } from 'kysely'

/** What callbacks are chosen by. Without a consumer, those of all; a reason is one of the dead. */
export type CallbackFilter = {
  consumerId?: string | undefined
  origin?: string | undefined
  status?: CallbackState | undefined
  reason?: CallbackEndReason | undefined
  /** The consumer's own id of the print job. */
  jobId?: string | undefined
  createdFrom?: Date | undefined
  /** Not itself included. */
  createdTo?: Date | undefined
}

/** What holds of rows of `callback` that a filter chooses. */
export function chosenBy(filter: CallbackFilter): RawBuilder<boolean> {
  const { consumerId, origin, status, reason, jobId, createdFrom, createdTo } = filter
  const conditions = [
    consumerId !== undefined && sql`callback.consumer_id = ${consumerId}`,
    origin !== undefined && sql`callback.origin = ${origin}`,
    status !== undefined && sql`callback.state = ${sql.lit(status)}`,
    // An index of the dead serves what it is told of in the statement's text.
    reason !== undefined && sql`callback.state = 'DEAD' and callback.end_reason = ${reason}`,
    jobId !== undefined && ofPrintJob(jobId, consumerId),
    createdFrom !== undefined && sql`callback.created_at >= ${createdFrom}`,
    createdTo !== undefined && sql`callback.created_at < ${createdTo}`,
  ].filter((condition) => condition !== false)
  return conditions.length > 0 ? sql<boolean>`${sql.join(conditions, sql` and `)}` : sql`true`
}

/** Consumer by consumer: an id of a print job is found by that of its consumer. */
export function ofPrintJob(jobId: string, consumerId: string | undefined) {
  const consumers =
    consumerId === undefined ? sql`consumer` : sql`(select ${consumerId}::uuid as id) consumer`
  return sql`callback.print_job_key = any (array (
    select job.key from ${consumers} cross join lateral (
      select key from print_job where consumer_id = consumer.id and print_job.id = ${jobId} offset 0) job))`
}
