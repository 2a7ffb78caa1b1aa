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
  const { rows } = await sql<SerialAccount>`
    select job_type as "jobType", count(*)::integer as issued,
      count(*) filter (where state = 'USED')::integer as used,
      count(*) filter (where state = 'SPOILED')::integer as spoiled,
      count(*) filter (where state = 'IN_STOCK')::integer as "inStock"
    from serial_number where provider_id = ${providerId}
    group by job_type order by job_type`.execute(db)
  return rows
}
