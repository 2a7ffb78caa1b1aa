import type { DocumentOutcome } from '@despatch/domain/print-run/document-progress'
import type { Database } from '@despatch/store/database'

/** What the platform has recorded about the run of a case. */
export type RunFacts = {
  claimedAt: Date | null
  isAcknowledged: boolean
  isRefused: boolean
  isClosed: boolean
  /** Documents of the manifest, in its order. */
  documents: readonly DocumentFacts[]
  /** Documents that were reported as SPOILED. */
  spoiled: readonly string[]
  /** The only recall of the run. `stopped` are the documents that the provider agreed to stop. */
  recall: { isOpen: boolean; answeredAt: Date | null; stopped: readonly string[] } | null
}

type DocumentFacts = {
  documentId: string
  attempt: number
  outcome: DocumentOutcome | null
  isPosted: boolean
}

export async function readRunFacts(
  { pool }: Pick<Database, 'pool'>,
  batchNumber: string,
): Promise<RunFacts> {
  const { rows } = await pool.query(
    `select claimed_at as "claimedAt", acknowledged_at is not null as "isAcknowledged",
       state = 'REFUSED' as "isRefused", closed_at is not null as "isClosed",
       (select json_agg(json_build_object('documentId', document_id, 'attempt', attempt, 'outcome', outcome,
          'isPosted', posting_id is not null) order by sequence)
        from print_run_document where batch_number = run.batch_number and removed_at is null) as documents,
       array(select document_id from print_run_event
         where batch_number = run.batch_number and type = 'SPOILED') as spoiled,
       (select json_build_object('isOpen', state = 'OPEN', 'answeredAt', answered_at, 'stopped',
          array(select document_id from recall_document where recall_id = id and state = 'RECALLED' order by document_id))
        from recall_request where batch_number = run.batch_number limit 1) as recall
     from print_run run where batch_number = $1`,
    [batchNumber],
  )
  const [{ recall, ...facts }] = rows
  const answeredAt = recall?.answeredAt && new Date(recall.answeredAt)
  return { ...facts, recall: recall && { ...recall, answeredAt } }
}

/** Returns the documents without an outcome. */
export function missingDocuments({ documents }: RunFacts): DocumentFacts[] {
  return documents.filter(({ outcome }) => outcome === null)
}
