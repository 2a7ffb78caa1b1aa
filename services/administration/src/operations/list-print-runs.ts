import { renderPrintRunSummary } from '@despatch/contracts/administration/print-run'
import { listPrintRuns as operation } from '@despatch/contracts/administration/print-run-operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listPrintRunPage } from '@despatch/store/print-run/details'

/** GET /print-runs: lists the print runs of all providers, newest first. */
export function listPrintRuns(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ query }) => {
      const { state, providerId, cursor, limit } = query
      const runs = await listPrintRunPage(db, { state, providerId, before: cursor, runsMax: limit })
      return {
        printRuns: runs.map(renderPrintRunSummary),
        ...cursorAfter(runs, limit, ({ batchNumber }) => batchNumber),
      }
    },
  })
}
