import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Db } from '../src/database.ts'
import type { Schema } from '../src/schema.ts'

export type Seeder = {
  /** Inserts a print job of one consumer and returns its key. */
  printJob(given?: Partial<Insertable<Schema['print_job']>>): Promise<string>
  /** Inserts a callback that is due and returns its id. */
  callback(
    given: { print_job_key: string } & Partial<Insertable<Schema['callback']>>,
  ): Promise<string>
}

/** Inserts the consumer and the contract that every print job needs. */
export async function seeder(db: Db): Promise<Seeder> {
  const consumerId = randomUUID()
  const contractId = randomUUID()
  await db
    .insertInto('consumer')
    .values({
      id: consumerId,
      name: 'Consumer',
      user_name: consumerId,
      password_hash: 'x',
      password_expires_on: '2099-01-01',
      api_key_prefix: 'x',
      api_key_hash: Buffer.from(consumerId),
      api_key_expires_on: '2099-01-01',
      roles: ['consumer'],
    })
    .execute()
  await db
    .insertInto('contract')
    .values({
      id: contractId,
      consumer_id: consumerId,
      job_type: 'LETTER',
      template_reference: 'T1',
      production: 'letter',
    })
    .execute()
  return {
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
          standard_params: '{"jobType":"LETTER","templateReference":"T1","recipientName":"A Name"}',
          callback_params: '{"target":"https://example.com/status?token=a.b"}',
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
          sequence: 1,
          status: 'REJECTED',
          body: Buffer.from('{}'),
          due_at: given.state && given.state !== 'DUE' ? null : secondsAgo(1),
          ...given,
        })
        .execute()
      return id
    },
  }
}

export function secondsAgo(seconds: number): Date {
  return new Date(Date.now() - seconds * 1000)
}
