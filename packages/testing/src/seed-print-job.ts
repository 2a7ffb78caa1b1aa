import { randomUUID } from 'node:crypto'
import type { Db } from '@despatch/store/database'
import type { Schema } from '@despatch/store/schema'
import { type Insertable, sql } from 'kysely'
import { insertConsumer, someStandardParams } from './print-job-builders.ts'

export type Seeder = {
  consumerId: string
  contractId: string
  /** Inserts a print job of one consumer and returns its key. */
  printJob(given?: Partial<Insertable<Schema['print_job']>>): Promise<string>
  /** Inserts a callback that is due and returns its id. */
  callback(
    given: { print_job_key: string | null } & Partial<Insertable<Schema['callback']>>,
  ): Promise<string>
  /** Lets a process have a call of a callback under way. It took the callback 20 s before the end of its lease. */
  underWay(callback: string, leasedUntil: Date): Promise<void>
}

/** Inserts the consumer and the contract that every print job needs. */
export async function seeder(db: Db): Promise<Seeder> {
  const { consumerId, contractId } = await insertConsumer(db)
  return {
    consumerId,
    contractId,
    printJob: async (given = {}) => {
      const key = randomUUID()
      await db
        .insertInto('print_job')
        .values({
          key,
          consumer_id: consumerId,
          id: key,
          status: 'QUARANTINE',
          contract_id: contractId,
          standard_params: JSON.stringify(someStandardParams),
          callback_params: '{}',
          callback_destination_sealed: Buffer.from('sealed destination'),
          callback_origin: 'https://example.com',
          callback_statuses: ['DESPATCHED', 'REJECTED'],
          correlation_id: 'correlation-1',
          request_fingerprint: Buffer.alloc(32),
          ...given,
        })
        .execute()
      return key
    },
    callback: async (given) => {
      const id = randomUUID()
      await db
        .insertInto('callback')
        .values({
          id,
          consumer_id: consumerId,
          origin: 'https://example.com',
          sequence: 1,
          status: given.kind === 'test' ? null : 'REJECTED',
          body: Buffer.from('{}'),
          due_at: given.state && given.state !== 'DUE' ? null : secondsAgo(1),
          ...given,
        })
        .execute()
      return id
    },
    underWay: async (callback, leasedUntil) => {
      await sql`
        insert into callback_batch (id, origin, subjects, versions, calls_max, taken_at, leased_until)
        select gen_random_uuid(), origin, array[id], array[attempt_epoch], 1,
          ${leasedUntil}::timestamptz - interval '20 s', ${leasedUntil}
        from callback where id = ${callback}`.execute(db)
    },
  }
}

export function secondsAgo(seconds: number): Date {
  return new Date(Date.now() - seconds * 1000)
}
