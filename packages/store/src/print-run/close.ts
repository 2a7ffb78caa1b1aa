import { whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import {
  missingCount,
  type PrintRunState,
  type ReconciliationCounts,
} from '@despatch/domain/print-run/state'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { lockPrintRun, type PrintRunRef } from './lock.ts'
import { readReconciliationCounts } from './reconciliation-counts.ts'
import { listUnaccounted, type UnaccountedDocument } from './unaccounted.ts'

export type CloseOutcome =
  | { kind: 'closed'; account: ReconciliationCounts; closedAt: Date }
  | { kind: 'absent' }
  | { kind: 'not-in-production'; state: PrintRunState }
  | { kind: 'unaccounted'; missing: number; documents: UnaccountedDocument[] }

/** The maximum number of unaccounted documents listed by id. */
const documentsListedMax = 100

/** Closes a run if all of its documents are accounted for. Closing again returns the same answer. */
export async function saveClose(db: Db, ref: PrintRunRef): Promise<CloseOutcome> {
  const closedBy = `provider:${ref.providerId}`
  return transact(db, (tx) => closePrintRunAs(tx, ref, closedBy, { isProvider: true }))
}

/**
 * As `saveClose`, in the caller's transaction and with the given operator, who may also close a claimed run that nobody
 * has acknowledged.
 */
export async function closePrintRunAs(
  tx: Tx,
  ref: PrintRunRef,
  closedBy: string,
  { isProvider = false } = {},
): Promise<CloseOutcome> {
  const run = await lockPrintRun(tx, ref)
  if (!run) return { kind: 'absent' }
  const { batchNumber, state, claimedAt, closedAt } = run
  const isClosable = closedAt !== null || !whyNotPossible(printRunActions.close, { state })
  const mustAcknowledge = isProvider && state === 'CLAIMED'
  if (!claimedAt || !isClosable || mustAcknowledge) return { kind: 'not-in-production', state }

  const account = await readReconciliationCounts(tx, batchNumber)
  if (closedAt) return { kind: 'closed', account, closedAt }
  const missing = missingCount(account)
  if (missing > 0 && state === 'CLAIMED') return { kind: 'not-in-production', state }
  if (missing > 0) {
    const page = { after: 0, documentsMax: documentsListedMax }
    return {
      kind: 'unaccounted',
      missing,
      documents: await listUnaccounted(tx, batchNumber, page),
    }
  }
  return { kind: 'closed', account, closedAt: await updateClosed(tx, batchNumber, closedBy) }
}

async function updateClosed(tx: Tx, batchNumber: string, closedBy: string): Promise<Date> {
  const { rows } = await sql<{ closed_at: Date }>`
    update print_run set state = 'CLOSED', closed_at = now(), closed_by = ${closedBy}
    where batch_number = ${batchNumber}
    returning closed_at`.execute(tx)
  return rows[0]!.closed_at
}
