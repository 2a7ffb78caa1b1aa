import { type DocumentState, isReprintable } from '@despatch/domain/print-run/document-progress'
import { freeReprintsMax } from '@despatch/domain/print-run/reprint-quota'
import { isInProduction } from '@despatch/domain/print-run/state'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { lockPrintRun, type PrintRunRef } from '../print-run/lock.ts'
import { authoriseReprints } from './authorise.ts'
import { getReprints, type Reprint } from './read.ts'

type ReprintRequest = PrintRunRef & {
  /** The consumer that requests them. It may not decide on its own requests. */
  requestedBy: string
  documents: readonly { documentId: string; reasonCode: string; reason?: string | undefined }[]
}

export type ReprintRequestOutcome =
  /** In the order of the request. */
  | { kind: 'requested'; reprints: Reprint[] }
  | { kind: 'absent' }
  | { kind: 'not-in-production' }
  /** Not in the run, not spoiled, or with an outcome. */
  | { kind: 'not-possible'; documentIds: string[] }

/** The actor that authorises reprints within the quota of a site. */
const quotaActor = 'reprint-quota'

/**
 * Requests further attempts at spoiled documents. Within the quota of the site they are authorised at once, in the
 * order of the request; the others wait for a second person. A document with a reprint that has not been printed yet
 * keeps that reprint. If one document cannot be reprinted, nothing is authorised.
 */
export async function saveReprintRequests(
  db: Db,
  request: ReprintRequest,
): Promise<ReprintRequestOutcome> {
  return transact(db, async (tx) => {
    const run = await lockPrintRun(tx, request)
    if (!run) return { kind: 'absent' }
    if (!isInProduction(run.state)) return { kind: 'not-in-production' }

    const documents = await listNamed(tx, request)
    const impossible = documents.filter((document) => !isPossible(document))
    if (impossible.length > 0) {
      return {
        kind: 'not-possible',
        documentIds: impossible.map(({ documentId }) => documentId),
      }
    }
    const unrequested = documents.filter(({ reprintId }) => reprintId === null)
    const added = await insertReprints(tx, request, unrequested)
    const free = added.slice(0, await countFree(tx, request))
    await authoriseReprints(tx, [...free], { actor: quotaActor })

    const reprintIds = documents.map(({ reprintId }) => reprintId ?? added.shift()!)
    return { kind: 'requested', reprints: await getReprints(tx, reprintIds) }
  })
}

type NamedDocument = {
  documentId: string
  reasonCode: string
  reason: string | null
  /** Null if the run has no such document. */
  standing: DocumentState | null
  /** An earlier reprint that has not been printed yet. */
  reprintId: number | null
}

function isPossible({ standing, reprintId }: NamedDocument): boolean {
  return reprintId !== null || (standing !== null && isReprintable(standing))
}

async function listNamed(
  tx: Tx,
  { batchNumber, documents }: ReprintRequest,
): Promise<NamedDocument[]> {
  const { rows } = await sql<NamedDocument>`
    select named."documentId", named."reasonCode", named.reason, stored.id as "reprintId",
      case when document.document_id is not null then json_build_object('firstAttempt', document.first_attempt,
        'attempt', document.attempt, 'progress', document.progress, 'outcome', document.outcome) end as standing
    from rows from (json_to_recordset(${JSON.stringify(documents)}::json)
      as ("documentId" text, "reasonCode" text, reason text)) with ordinality
      as named ("documentId", "reasonCode", reason, place)
    left join print_run_document document on document.batch_number = ${batchNumber}
      and document.document_id = named."documentId" and document.removed_at is null and document.voided_at is null
      and document.sequence is not null
    left join lateral (
      select reprint.id from reprint
      where reprint.batch_number = document.batch_number and reprint.document_id = document.document_id
        and (reprint.attempt = document.attempt + 1
          or reprint.attempt = document.attempt and document.outcome is null
            and coalesce(document.progress, 'FETCHED') = 'FETCHED')
      order by reprint.attempt desc limit 1
    ) stored on true
    order by named.place`.execute(tx)
  return rows
}

async function insertReprints(
  tx: Tx,
  { batchNumber, requestedBy }: ReprintRequest,
  documents: readonly NamedDocument[],
): Promise<number[]> {
  if (documents.length === 0) return []
  const rows = documents.map(({ documentId, reasonCode, reason, standing }) => ({
    document_id: documentId,
    attempt: standing!.attempt + 1,
    reason_code: reasonCode,
    reason,
  }))
  const inserted = await sql<{ id: number; document_id: string }>`
    insert into reprint (batch_number, document_id, attempt, state, reason_code, reason, requested_by)
    select ${batchNumber}, document_id, attempt, 'WAITING', reason_code, reason, ${requestedBy}
    from rows from (json_to_recordset(${JSON.stringify(rows)}::json)
      as (document_id text, attempt integer, reason_code text, reason text)) with ordinality
      as row (document_id, attempt, reason_code, reason, place)
    order by place
    returning id, document_id`.execute(tx)
  const ids = new Map(inserted.rows.map(({ id, document_id }) => [document_id, id]))
  return documents.map(({ documentId }) => ids.get(documentId)!)
}

/** Counts the further reprints that the run may have without a second person. */
async function countFree(tx: Tx, { batchNumber }: ReprintRequest): Promise<number> {
  const { rows } = await sql<{
    reprintsFreeMax: number
    reprintsFreePercent: number
    documentCount: number
    taken: number
  }>`
    select coalesce(site.reprints_free_max, 0) as "reprintsFreeMax",
      coalesce(site.reprints_free_percent, 0) as "reprintsFreePercent",
      run.document_count as "documentCount",
      (select count(*)::integer from reprint
        where batch_number = run.batch_number and decided_by = ${quotaActor}) as taken
    from print_run run
    left join print_site site using (provider_id, print_location)
    where run.batch_number = ${batchNumber}`.execute(tx)
  const { taken, ...quota } = rows[0]!
  return Math.max(0, freeReprintsMax(quota) - taken)
}
