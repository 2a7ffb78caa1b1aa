import { countRecall as operation } from '@despatch/contracts/administration/print-run-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { countRecallable } from '@despatch/store/recall/request'
import { unrecallable } from '../print-run/unrecallable.ts'

/** POST /print-runs/{batchNumber}/recalls/count: counts the documents that a recall would include. */
export function countRecall(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params: { batchNumber }, body }) => {
      const choice = { ...body, batchNumber }
      const outcome = await countRecallable(db, choice)
      if (outcome.kind !== 'counted') throw unrecallable(choice, outcome)
      return { batchNumber, documentCount: outcome.documentCount }
    },
  })
}
