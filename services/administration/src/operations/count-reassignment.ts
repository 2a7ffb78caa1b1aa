import { countReassignment as operation } from '@despatch/contracts/administration/print-run-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { countReassignable } from '@despatch/store/print-run/reassign'
import { unreassignable } from '../print-run/unreassignable.ts'

/** POST /print-runs/{batchNumber}/move/count: counts the documents that a reassignment would include. */
export function countReassignment(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params: { batchNumber } }) => {
      const outcome = await countReassignable(db, batchNumber)
      if (outcome.kind !== 'counted') throw unreassignable(batchNumber, outcome)
      return { batchNumber, documentCount: outcome.documentCount }
    },
  })
}
