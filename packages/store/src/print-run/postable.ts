import { sql } from 'kysely'

/**
 * SQL condition on a row `document` of print_run_document: it may be posted on behalf of its provider. Repeats the rule
 * `isPostableOnBehalf` of domain/print-run/document-progress; a test checks that they agree.
 */
export const isPostableOnBehalfRow = sql<boolean>`(
  document.removed_at is null and document.voided_at is null and document.outcome is null
  and document.progress is distinct from 'SPOILED')`

/** SQL condition on such a row: it may be handed to a carrier. Repeats the rule `isPostable` of the same module. */
export const isPostableRow = sql<boolean>`(
  ${isPostableOnBehalfRow}
  and (document.attempt = document.first_attempt or coalesce(document.progress in ('PRINTED', 'ENCLOSED'), false)))`
