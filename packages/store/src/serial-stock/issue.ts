import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { lockSerialNumbers } from './serial-book.ts'

export type SerialStock = { jobType: string; providerId: string }

export type IssueOutcome =
  /** How many of the numbers were new to the provider. */
  | { kind: 'issued'; added: number }
  /** Other providers have these numbers (the first few are listed). The caller must roll back. */
  | { kind: 'taken'; serialNumbers: string[] }

const numbersListedMax = 5

/**
 * Adds numbers, without duplicates, to the stock of a provider. Numbers that the provider already has stay as they are,
 * including used and spoiled ones.
 */
export async function issueSerialNumbers(
  tx: Tx,
  { jobType, providerId }: SerialStock,
  serialNumbers: readonly string[],
  issuedBy: string,
): Promise<IssueOutcome> {
  await lockSerialNumbers(tx, [jobType])
  const { rows } = await sql`
    insert into serial_number (job_type, serial_number, provider_id, state, issued_as, issued_by)
    select ${jobType}, serial_number, ${providerId}, 'IN_STOCK', 'stock', ${issuedBy}
    from unnest(${serialNumbers}::text[]) as row (serial_number)
    on conflict do nothing
    returning 1`.execute(tx)
  const { rows: taken } = await sql<{ serial_number: string }>`
    select serial_number from serial_number
    where job_type = ${jobType} and serial_number = any (${serialNumbers}::text[]) and provider_id <> ${providerId}
    order by serial_number limit ${numbersListedMax}`.execute(tx)
  if (taken.length > 0) {
    return { kind: 'taken', serialNumbers: taken.map(({ serial_number }) => serial_number) }
  }
  return { kind: 'issued', added: rows.length }
}

export type SerialAccount = SerialStock & {
  /** used + spoiled + inStock */
  issued: number
  used: number
  spoiled: number
  inStock: number
}

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
