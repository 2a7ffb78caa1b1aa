import { whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { reprintActions } from '@despatch/domain/operator-action/reprint-actions'
import { isInProduction, type PrintRunState } from '@despatch/domain/print-run/state'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { movePrintJobs } from '../print-job/print-jobs.ts'
import { updateStateOfWork } from '../print-run/reconciliation-counts.ts'
import { authoriseReprints } from './authorise.ts'

export type ReprintDecision = {
  reprintId: number
  decision: 'authorise' | 'refuse'
  actor: string
  /** Who decides; must not be the requester. */
  actorConsumerId: string
  /** Shown to the consumer with a refusal. No personal information. */
  reason?: string | undefined
}

type DecidedReprint = {
  reprintId: number
  batchNumber: string
  documentId: string
  attempt: number
  state: 'AUTHORISED' | 'REFUSED'
}

export type ReprintDecisionOutcome =
  | { kind: 'decided'; reprint: DecidedReprint }
  | { kind: 'absent' }
  | { kind: 'decided-otherwise'; whyNot: string }
  /** The requester may not decide. */
  | { kind: 'own-request'; whyNot: string }
  /** The run has been closed or moved since. */
  | { kind: 'not-in-production'; batchNumber: string }

/**
 * Applies a second person's decision to a waiting reprint. If authorised, the document gets its next attempt. If
 * refused, the document has failed and its print job is rejected. The same decision again changes nothing.
 */
export async function decideReprint(
  tx: Tx,
  { reprintId, decision, actor, actorConsumerId, reason }: ReprintDecision,
): Promise<ReprintDecisionOutcome> {
  const run = await lockRunOfReprint(tx, reprintId)
  if (!run) return { kind: 'absent' }
  const { requestedBy, state: before, ...reprint } = await getReprint(tx, reprintId)
  const state = decision === 'authorise' ? 'AUTHORISED' : 'REFUSED'
  if (before === state) return { kind: 'decided', reprint: { ...reprint, state } }
  const facts = { state: before, isOwn: requestedBy === actorConsumerId }
  const whyNot = whyNotPossible(reprintActions[decision], facts)
  if (whyNot) return { kind: before === 'WAITING' ? 'own-request' : 'decided-otherwise', whyNot }
  const { batchNumber } = reprint
  if (!isInProduction(run.state)) return { kind: 'not-in-production', batchNumber }

  if (decision === 'authorise') await authoriseReprints(tx, [reprintId], { actor, reason })
  else await refuseReprint(tx, reprint, { actor, reason })
  return { kind: 'decided', reprint: { ...reprint, state } }
}

/**
 * Refuses the waiting reprints of documents that have their outcome: nothing is left to print again. The caller has
 * locked the run.
 */
export async function refuseWaitingReprints(
  tx: Tx,
  {
    batchNumber,
    documentIds,
    actor,
    reason,
  }: {
    batchNumber: string
    documentIds: readonly string[]
    actor: string
    reason?: string | undefined
  },
): Promise<void> {
  await sql`
    update reprint set state = 'REFUSED', decided_by = ${actor}, decided_at = now(), decision_reason = ${reason ?? null}
    where batch_number = ${batchNumber} and document_id = any (${documentIds}::text[]) and state = 'WAITING'`.execute(
    tx,
  )
}

async function lockRunOfReprint(
  tx: Tx,
  reprintId: number,
): Promise<{ state: PrintRunState } | undefined> {
  const { rows } = await sql<{ state: PrintRunState }>`
    select state from print_run
    where batch_number = (select batch_number from reprint where id = ${reprintId})
    for no key update`.execute(tx)
  return rows[0]
}

type WaitingReprint = Omit<DecidedReprint, 'state'>

async function getReprint(tx: Tx, reprintId: number) {
  return tx
    .selectFrom('reprint')
    .select([
      'id as reprintId',
      'batch_number as batchNumber',
      'document_id as documentId',
      'attempt',
      'state',
      'requested_by as requestedBy',
    ])
    .where('id', '=', reprintId)
    .executeTakeFirstOrThrow()
}

async function refuseReprint(
  tx: Tx,
  { batchNumber, documentId }: WaitingReprint,
  { actor, reason }: { actor: string; reason?: string | undefined },
): Promise<void> {
  await refuseWaitingReprints(tx, { batchNumber, documentIds: [documentId], actor, reason })
  const { rows } = await sql<{ key: string }>`
    update print_run_document set outcome = 'FAILED'
    where batch_number = ${batchNumber} and document_id = ${documentId} and outcome is null
    returning print_job_key as key`.execute(tx)
  const comment = reason ? `Reprint refused: ${reason}` : 'Reprint refused'
  const moves = rows.map(({ key }) => ({ key, comment }))
  await movePrintJobs(tx, moves, 'reject', { actor })
  await updateStateOfWork(tx, batchNumber)
}
