import { sql } from 'kysely'

/**
 * Whether the row `document` of print_run_document may be posted in the stead of its provider, for statements over many of
 * them: the rule is `isPostableInStead` of domain/print-run/document-progress, and a test holds the two together.
 */
export const isPostableInSteadRow = sql<boolean>`(
  document.removed_at is null and document.voided_at is null and document.outcome is null
  and document.progress is distinct from 'SPOILED')`

/** Whether the row may be handed to a carrier, by `isPostable` there. */
export const isPostableRow = sql<boolean>`(
  ${isPostableInSteadRow}
  and (document.attempt = document.first_attempt or coalesce(document.progress in ('PRINTED', 'ENCLOSED'), false)))`
