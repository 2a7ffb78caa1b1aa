import { issueSerialNumbers as operation } from '@despatch/contracts/administration/provider-operations'
import { serialNumbersOf } from '@despatch/contracts/administration/serial-stock'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { lockSerialNumbers } from '@despatch/store/serial-stock/serial-book'
import { listSerialAccounts } from '@despatch/store/serial-stock/serial-stock'
import { sql } from 'kysely'
import { actorOf } from '../operator/access.ts'
import { printRunConflict } from '../print-run/refusals.ts'
import { requireProvider } from '../provider/providers.ts'

type SerialStock = { jobType: string; providerId: string }

/** POST /serial-stock: records numbered stock that a provider has received. */
export function issueSerialNumbers(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body, caller }) => {
      const { jobType, providerId } = body
      const stock = { jobType, providerId }
      await requireProvider(db, providerId)
      const serialNumbers = serialNumbersOf(body)
      const added = await transact(db, (tx) => issue(tx, stock, serialNumbers, actorOf(caller)))
      const [account] = await listSerialAccounts(db, stock)
      if (!account) throw new Error(`The stock of ${providerId} is missing after it was issued`)
      const { issued, used, spoiled, inStock } = account
      return { ...stock, added, account: { issued, used, spoiled, inStock } }
    },
  })
}

async function issue(
  tx: Tx,
  stock: SerialStock,
  serialNumbers: readonly string[],
  actor: string,
): Promise<number> {
  const outcome = await addSerialNumbers(tx, stock, serialNumbers, actor)
  if (outcome.kind === 'taken') {
    const taken = outcome.serialNumbers.join(', ')
    throw printRunConflict(
      `Another provider already has some of these serial numbers, such as ${taken}`,
    )
  }
  const { added } = outcome
  if (added > 0) {
    const detail = { ...stock, added, asked: serialNumbers.length }
    await insertAuditEvent(tx, { actor, action: 'serial-stock.issued', detail })
  }
  return added
}

type IssueOutcome =
  /** How many of the numbers were new to the provider. */
  | { kind: 'issued'; added: number }
  /** Other providers have these numbers (the first few are listed). The caller must roll back. */
  | { kind: 'taken'; serialNumbers: string[] }

const toldMax = 5

/**
 * Adds numbers, without duplicates, to the stock of a provider. Numbers that the provider already has stay as they are,
 * including used and spoiled ones.
 */
async function addSerialNumbers(
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
    order by serial_number limit ${toldMax}`.execute(tx)
  if (taken.length > 0) {
    return { kind: 'taken', serialNumbers: taken.map(({ serial_number }) => serial_number) }
  }
  return { kind: 'issued', added: rows.length }
}
