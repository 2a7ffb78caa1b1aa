import { renderShownRun } from '@despatch/contracts/administration/print-run'
import { getPrintRun as operation } from '@despatch/contracts/administration/print-run-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { requirePrintRun } from '../print-problems.ts'

/** GET /print-runs/{batchNumber}: a print run with its account. */
export function getPrintRun(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params }) => renderShownRun(await requirePrintRun(db, params.batchNumber)),
  })
}
