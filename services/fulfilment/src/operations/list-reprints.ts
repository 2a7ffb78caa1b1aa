import { cursorAfter } from '@despatch/contracts/page'
import { printRunNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { listReprints as operation } from '@despatch/contracts/print-fulfilment/production-operations'
import { withContentPaths } from '@despatch/contracts/print-fulfilment/reprint'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listRunReprints } from '@despatch/store/reprint/read'
import { providerOf } from '../request/provider-of.ts'

/** GET /print-runs/{batchNumber}/reprints: lists the further attempts that were requested, with their state. */
export function listReprints(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { batchNumber } = request.params
      const { state, cursor, limit } = request.query
      const reprints = await listRunReprints(db, {
        providerId: providerOf(request.caller),
        batchNumber,
        state,
        after: cursor,
        reprintsMax: limit,
      })
      if (!reprints) throw printRunNotFound(batchNumber)
      return {
        batchNumber,
        reprints: withContentPaths(batchNumber, reprints),
        ...cursorAfter(reprints, limit, ({ reprintId }) => String(reprintId)),
      }
    },
  })
}
