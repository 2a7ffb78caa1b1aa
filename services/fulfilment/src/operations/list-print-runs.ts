import { listPrintRuns as operation } from '@despatch/contracts/print-fulfilment/operations'
import { renderPrintRuns } from '@despatch/contracts/print-fulfilment/print-run'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listPrintRuns as listStored } from '@despatch/store/print-run/list'
import { markProviderSeen } from '@despatch/store/provider/presence'
import { providerOf } from '../provider-of.ts'

/**
 * GET /print-runs: lists the runs that the provider may claim or has claimed. The call also counts as a sign of life.
 */
export function listPrintRuns(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { cursor, limit, ...filter } = request.query
      const providerId = providerOf(request.caller)
      const [runs] = await Promise.all([
        listStored(db, { ...filter, providerId, after: cursor, runsMax: limit }),
        markProviderSeen(db, providerId),
      ])
      return renderPrintRuns(runs, { limit })
    },
  })
}
