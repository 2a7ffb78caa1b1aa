import { listSerialStock as operation } from '@despatch/contracts/administration/provider-operations'
import type { SerialAccountsResponse } from '@despatch/contracts/administration/serial-stock'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/**
 * GET /serial-stock: lists, by provider and job type, how many of the issued numbers are used, spoiled and in stock.
 */
export function listSerialStock(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ query }) => ({ accounts: await listSerialAccounts(db, query) }),
  })
}

export type SerialStock = { jobType: string; providerId: string }

type SerialAccount = SerialAccountsResponse['accounts'][number]

/** Lists the accounts of numbered stock, by provider and job type. */
export async function listSerialAccounts(
  db: Db,
  { providerId, jobType }: { [Name in keyof SerialStock]?: string | undefined },
): Promise<SerialAccount[]> {
  const { rows } = await sql<SerialAccount>`
    select provider_id as "providerId", job_type as "jobType", count(*)::integer as issued,
      count(*) filter (where state = 'USED')::integer as used,
      count(*) filter (where state = 'SPOILED')::integer as spoiled,
      count(*) filter (where state = 'IN_STOCK')::integer as "inStock"
    from serial_number
    where true
      ${providerId === undefined ? sql`` : sql`and provider_id = ${providerId}`}
      ${jobType === undefined ? sql`` : sql`and job_type = ${jobType}`}
    group by provider_id, job_type
    order by provider_id, job_type`.execute(db)
  return rows
}
