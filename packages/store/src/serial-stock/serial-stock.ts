import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** The numbers of one job type: issued = used + spoiled + in stock. */
export type SerialAccount = {
  jobType: string
  issued: number
  used: number
  spoiled: number
  inStock: number
}

/** Reads the account of the numbered stock that a provider has or had. */
export async function readSerialStock(db: Db, providerId: string): Promise<SerialAccount[]> {
  const accounts = await listSerialAccounts(db, { providerId })
  return accounts.map(({ providerId: _, ...account }) => account)
}

/** Lists the accounts of numbered stock, by provider and job type. */
export async function listSerialAccounts(
  db: Db,
  { providerId, jobType }: { providerId?: string | undefined; jobType?: string | undefined },
): Promise<(SerialAccount & { providerId: string })[]> {
  const { rows } = await sql<SerialAccount & { providerId: string }>`
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
