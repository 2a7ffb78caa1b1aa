import { manifestNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { getReconciliation as operation } from '@despatch/contracts/print-fulfilment/production-operations'
import {
  type FoundReconciliation,
  renderReconciliation,
} from '@despatch/contracts/print-fulfilment/reconciliation'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import type { PrintRunRef } from '@despatch/store/print-run/lock'
import { readReconciliationCounts } from '@despatch/store/print-run/reconciliation-counts'
import { listUnaccounted } from '@despatch/store/print-run/unaccounted'
import { readSnapshot } from '@despatch/store/read-snapshot'
import { sql } from 'kysely'
import { providerOf } from '../request/provider-of.ts'

/**
 * GET /print-runs/{batchNumber}/reconciliation: returns the number of documents with each outcome, and those that are
 * unaccounted for.
 */
export function getReconciliation(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { batchNumber } = request.params
      const { cursor, limit } = request.query
      addToLogLine(request, { batchNumber })
      const found = await findReconciliation(db, {
        providerId: providerOf(request.caller),
        batchNumber,
        after: sequenceOf(cursor),
        documentsMax: limit + 1,
      })
      if (!found) throw manifestNotFound(batchNumber)
      return renderReconciliation(found, limit)
    },
  })
}

/** The cursor is the sequence of the last document of the previous page. */
function sequenceOf(cursor = '0'): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  const detail = 'cursor must be the nextCursor of another page'
  throw invalidFields([{ field: 'cursor', code: 'Pattern', detail }])
}

/**
 * Finds the reconciliation of a claimed run, in one snapshot, with the unaccounted documents whose sequence is above
 * `after`. Returns undefined if the provider has no such run, or nobody has claimed it.
 */
async function findReconciliation(
  db: Db,
  { providerId, batchNumber, ...page }: PrintRunRef & { after: number; documentsMax: number },
): Promise<FoundReconciliation | undefined> {
  return readSnapshot(db, [], async (tx) => {
    const run = await tx
      .selectFrom('print_run')
      .select('state')
      .where('batch_number', '=', batchNumber)
      .where('provider_id', '=', providerId)
      .where('claimed_at', 'is not', null)
      .executeTakeFirst()
    if (!run) return
    return {
      batchNumber,
      state: run.state,
      account: await readReconciliationCounts(tx, batchNumber),
      ...(await countReprints(tx, batchNumber)),
      unaccounted: await listUnaccounted(tx, batchNumber, page),
    }
  })
}

async function countReprints(db: Db, batchNumber: string) {
  const { rows } = await sql<{ reprints: number; waitingReprints: number }>`
    select count(*) filter (where state = 'AUTHORISED')::integer as reprints,
      count(*) filter (where state = 'WAITING')::integer as "waitingReprints"
    from reprint where batch_number = ${batchNumber}`.execute(db)
  return rows[0]!
}
