import { listSerialStock as operation } from '@despatch/contracts/administration/provider-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listSerialAccounts } from '@despatch/store/serial-stock/issue'

/** GET /serial-stock: lists what became of the issued serial numbers. */
export function listSerialStock(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ query }) => ({ accounts: await listSerialAccounts(db, query) }),
  })
}
