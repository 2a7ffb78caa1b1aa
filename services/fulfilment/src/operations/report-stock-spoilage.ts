import { reportStockSpoilage as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { transact } from '@despatch/postgres/transact'
import type { Db, Tx } from '@despatch/store/database'
import { lockSerialNumbers } from '@despatch/store/serial-stock/serial-book'
import { readSerialStock, type SerialAccount } from '@despatch/store/serial-stock/serial-stock'
import { sql } from 'kysely'
import { providerOf } from '../request/provider-of.ts'

/** POST /serial-stock/spoilage: records numbered stock that was lost before anything was printed on it. */
export function reportStockSpoilage(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const providerId = providerOf(request.caller)
      const { jobType, serialNumbers } = request.body
      const jobTypes = await spoilStock(db, { providerId, ...request.body })
      addToLogLine(request, { jobType, spoiledCount: serialNumbers.length })
      return { jobTypes }
    },
  })
}

type StockSpoilage = {
  providerId: string
  jobType: string
  serialNumbers: readonly string[]
  reason: string
}

/**
 * Marks numbers in stock as spoiled before anything was printed on them. Returns the account of the stock. Safe to
 * repeat.
 */
async function spoilStock(db: Db, spoilage: StockSpoilage): Promise<SerialAccount[]> {
  return transact(db, async (tx) => {
    await lockSerialNumbers(tx, [spoilage.jobType])
    const places = await listNotInStock(tx, spoilage)
    if (places.length > 0) throw notInStock(places, spoilage.jobType)
    await sql`
      update serial_number set state = 'SPOILED', reason = ${spoilage.reason}, changed_at = now()
      where job_type = ${spoilage.jobType} and serial_number = any (${spoilage.serialNumbers}::text[])
        and state = 'IN_STOCK'`.execute(tx)
    return readSerialStock(tx, spoilage.providerId)
  })
}

/** Returns the positions, in the request, of the numbers that the provider neither has in stock nor has spoiled. */
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

function notInStock(places: readonly number[], jobType: string) {
  return invalidFields(
    places.map((place) => {
      const field = `serialNumbers[${place}]`
      const detail = `${field} is not a number of ${jobType} in the stock of the provider`
      return { field, code: 'NotFound', detail }
    }),
  )
}
