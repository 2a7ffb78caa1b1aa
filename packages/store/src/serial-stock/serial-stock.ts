import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { transact } from '../transact.ts'
import { lockSerialNumbers } from './serial-book.ts'

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

export type StockSpoilage = {
  providerId: string
  jobType: string
  serialNumbers: readonly string[]
  reason: string
}

export type StockSpoilageOutcome =
  | { kind: 'spoiled'; account: SerialAccount[] }
  /** The indexes of the numbers that the provider does not have in stock. Nothing was written. */
  | { kind: 'not-in-stock'; places: number[] }

/** Removes numbers from stock that were spoiled before anything was printed on them. Safe to repeat. */
export async function spoilStock(db: Db, spoilage: StockSpoilage): Promise<StockSpoilageOutcome> {
  return transact(db, async (tx) => {
    await lockSerialNumbers(tx, [spoilage.jobType])
    const places = await listNotInStock(tx, spoilage)
    if (places.length > 0) return { kind: 'not-in-stock', places }
    await sql`
      update serial_number set state = 'SPOILED', reason = ${spoilage.reason}, changed_at = now()
      where job_type = ${spoilage.jobType} and serial_number = any (${spoilage.serialNumbers}::text[])
        and state = 'IN_STOCK'`.execute(tx)
    return { kind: 'spoiled', account: await readSerialStock(tx, spoilage.providerId) }
  })
}

async function listNotInStock(
  tx: Tx,
  { providerId, jobType, serialNumbers }: StockSpoilage,
): Promise<number[]> {
  const { rows } = await sql<{ place: number }>`
    select named.place - 1 as place
    from unnest(${serialNumbers}::text[]) with ordinality as named (serial_number, place)
    where not exists (
      select from serial_number number
      where number.job_type = ${jobType} and number.serial_number = named.serial_number
        and number.provider_id = ${providerId} and number.state in ('IN_STOCK', 'SPOILED'))
    order by named.place`.execute(tx)
  return rows.map(({ place }) => place)
}
