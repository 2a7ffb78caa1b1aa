import { randomUUID } from 'node:crypto'
import type { Database } from '@despatch/store/database'
import type { Schema } from '@despatch/store/schema'
import type { Insertable } from 'kysely'

export const origin = 'https://consumer.example'
export const createdAt = '2026-03-04T05:06:07.000Z'

export type SeededCallback = Partial<Omit<Insertable<Schema['callback']>, 'print_job_key'>> & {
  consumer_id: string
  print_job_key: string
}

/** Inserts a callback, which is dead by default. Returns its id. */
export async function seedCallback({ db }: Database, given: SeededCallback): Promise<string> {
  const id = randomUUID()
  const { state = 'DEAD', sequence = 1 } = given
  const at = new Date(createdAt)
  await db
    .insertInto('callback')
    .values({
      id,
      sequence,
      status: 'DESPATCHED',
      body: Buffer.from(JSON.stringify({ id, data: { sequence } })),
      origin,
      state,
      end_reason: state === 'DEAD' ? 'window-ended' : null,
      attempts: state === 'DUE' ? 0 : 1,
      created_at: at,
      due_at: state === 'DUE' ? new Date(Date.now() + 3_600_000) : null,
      ended_at: state === 'DELIVERED' || state === 'DEAD' ? at : null,
      ...given,
    })
    .execute()
  return id
}
