import type { RetryParams } from '@despatch/domain/print-job/params'
import { repeatLost } from '@despatch/postgres/lost-reply'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { nudgeDeliverers } from './nudge-deliverers.ts'

/** A message that belongs to no print job, with its own destination. */
type TestCallback = {
  id: string
  consumerId: string
  origin: string
  body: Uint8Array
  destinationSealed: Uint8Array
  retryParams: RetryParams | undefined
}

/** Saves a test message that is due at once, and nudges those that deliver it. */
export async function insertTestCallback(db: Db, callback: TestCallback): Promise<void> {
  const { id, consumerId, origin, body, destinationSealed, retryParams } = callback
  const insert = sql`
    insert into callback (id, consumer_id, kind, sequence, origin, body, destination_sealed, retry_params, due_at)
    values (${id}, ${consumerId}, 'test', 1, ${origin}, ${Buffer.from(body)}, ${Buffer.from(destinationSealed)},
      ${retryParams ? JSON.stringify(retryParams) : null}::jsonb, now())
    on conflict (id) do nothing`
  await repeatLost(() => insert.execute(db))
  nudgeDeliverers(db)
}
