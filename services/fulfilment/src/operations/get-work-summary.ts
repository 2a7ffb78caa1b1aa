import { getWorkSummary as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import { renderWorkSummary } from '@despatch/contracts/print-fulfilment/work-summary'
import { sheetsMaxOfBands } from '@despatch/domain/print-run/weight-band'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { readWork } from '@despatch/store/print-run/work-summary'
import { providerOf } from '../provider-of.ts'

/** GET /work-summary: returns by stream how much work is collecting, released and in hand. */
export function getWorkSummary(api: Api, { db }: { db: Db }): void {
  const sheetsMax = sheetsMaxOfBands()
  api.route({
    ...operation,
    handler: async (request) =>
      renderWorkSummary(await readWork(db, { providerId: providerOf(request.caller), sheetsMax })),
  })
}
