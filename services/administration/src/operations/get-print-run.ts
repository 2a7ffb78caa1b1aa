import { getPrintRun as operation } from '@despatch/contracts/administration/print-run-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getPrintRunDetails } from '../print-run/details.ts'

/** GET /print-runs/{batchNumber}: returns a print run with its reconciliation. */
export function getPrintRun(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params }) => getPrintRunDetails(db, params.batchNumber),
  })
}
