import type { SomePrintRuns } from '@despatch/testing/some-print-runs'
import { expect } from 'vitest'

/** A spoiled document whose reprint waits for a decision. */
export async function aWaitingReprint(runs: SomePrintRuns, requestedBy: string) {
  const { batchNumber, documentIds, keys } = await runs.anAcknowledgedRun()
  const [documentId] = documentIds
  await runs.pool.query(
    `update print_run_document set progress = 'SPOILED' where batch_number = $1`,
    [batchNumber],
  )
  await runs.pool.query(`update print_run set state = 'IN_PRODUCTION' where batch_number = $1`, [
    batchNumber,
  ])
  const { rows } = await runs.pool.query(
    `insert into reprint (batch_number, document_id, attempt, state, reason_code, reason, requested_by)
     values ($1, $2, 2, 'WAITING', 'JAM', 'a paper jam', $3) returning id::text`,
    [batchNumber, documentId, requestedBy],
  )
  const reprintId: string = rows[0].id
  const waiting = {
    reprintId,
    batchNumber,
    documentId,
    providerId: 'north',
    attempt: 2,
    state: 'WAITING',
    reasonCode: 'JAM',
    reason: 'a paper jam',
    requestedAt: expect.any(String),
    requestedBy: 'provider',
  }
  return { reprintId, waiting, keys }
}
