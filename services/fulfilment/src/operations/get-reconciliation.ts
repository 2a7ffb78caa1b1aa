import { manifestNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { getReconciliation as operation } from '@despatch/contracts/print-fulfilment/production-operations'
import { renderReconciliation } from '@despatch/contracts/print-fulfilment/reconciliation'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { findReconciliation } from '@despatch/store/print-run/reconcile'
import { providerOf } from '../provider-of.ts'

/**
 * GET /print-runs/{batchNumber}/reconciliation: returns what became of the documents, and which are unaccounted for.
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
      return renderReconciliation({ batchNumber, ...found }, limit)
    },
  })
}

/** The cursor is the sequence of the last document of the previous page. */
function sequenceOf(cursor = '0'): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  const detail = 'cursor must be the nextCursor of another page'
  throw invalidFields([{ field: 'cursor', code: 'Pattern', detail }])
}
