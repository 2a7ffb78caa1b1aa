import { getSerialStock as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { readSerialStock } from '@despatch/store/serial-stock/serial-stock'
import { providerOf } from '../request/provider-of.ts'

/** GET /serial-stock: returns, for each job type, how many of the issued numbers are used, spoiled and in stock. */
export function getSerialStock(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => ({
      jobTypes: await readSerialStock(db, providerOf(request.caller)),
    }),
  })
}
