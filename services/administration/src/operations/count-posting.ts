import { countPosting as operation } from '@despatch/contracts/administration/print-run-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { countPostable } from '../print-run/posting-on-behalf.ts'
import { unpostable } from '../print-run/unpostable.ts'

/**
 * POST /print-runs/{batchNumber}/postings/count: counts the documents that a posting on behalf of the provider would
 * include.
 */
export function countPosting(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params: { batchNumber }, body }) => {
      const choice = { ...body, batchNumber }
      const outcome = await countPostable(db, choice)
      if (outcome.kind !== 'counted') throw unpostable(choice, outcome)
      return { batchNumber, documentCount: outcome.documentCount }
    },
  })
}
