import { sql } from 'kysely'

/**
 * Whether the row `document` of print_run_document may be handed to a carrier, for statements over many of them: the rule
 * is `isPostable` of domain/print-run/document-progress, and a test holds the two together.
 */
export const isPostableRow = sql<boolean>`(
  document.removed_at is null and document.voided_at is null and document.outcome is null
  and document.progress is distinct from 'SPOILED'
  and (document.attempt = document.first_attempt or coalesce(document.progress in ('PRINTED', 'ENCLOSED'), false)))`
