import { listSerialStock as operation } from '@despatch/contracts/administration/provider-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listSerialAccounts } from '@despatch/store/serial-stock/serial-stock'

/**
 * GET /serial-stock: lists, by provider and job type, how many of the issued numbers are used, spoiled and in stock.
 */
export function listSerialStock(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ query }) => ({ accounts: await listSerialAccounts(db, query) }),
  })
}
