import { databaseServices } from '@despatch/postgres/service-roles'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** A transaction that is open. While it is, PostgreSQL removes no row that was deleted since it began. */
export type OpenTransaction = {
  /** The name that its session gave itself, such as that of a service. */
  application: string
  /** It is a session of one of Despatch's services. */
  isOfService: boolean
  since: Date
  openSeconds: number
}

/** Reads the transaction of the database that has been open for longest. Null: none is open, except this one. */
export async function readOldestTransaction(db: Db): Promise<OpenTransaction | null> {
  const { rows } = await sql<Omit<OpenTransaction, 'isOfService'>>`
    select application, since,
      extract(epoch from clock_timestamp() - since)::double precision as "openSeconds"
    from oldest_transaction()`.execute(db)
  const [oldest] = rows
  return oldest ? { ...oldest, isOfService: services.has(oldest.application) } : null
}

const services: ReadonlySet<string> = new Set(databaseServices)
