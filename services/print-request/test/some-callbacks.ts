import { randomUUID } from 'node:crypto'
import type { Database } from '@despatch/store/database'

export const origin = 'https://consumer.example'

/** Inserts a print job of the consumer that requests callbacks. Returns its key. */
export async function seedPrintJob(
  { db }: Database,
  consumerId: string,
  jobId: string,
): Promise<string> {
  const key = randomUUID()
  const { id: contractId } = await db
    .selectFrom('contract')
    .select('id')
    .where('consumer_id', '=', consumerId)
    .where('job_type', '=', 'LETTER')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('print_job')
    .values({
      key,
      consumer_id: consumerId,
      id: jobId,
      status: 'QUARANTINE',
      contract_id: contractId,
      standard_params: '{}',
      callback_params: '{}',
      callback_statuses: ['DESPATCHED'],
      callback_origin: origin,
      callback_destination_sealed: Buffer.from('sealed'),
      correlation_id: randomUUID(),
      request_fingerprint: Buffer.alloc(32),
    })
    .execute()
  return key
}

export type SeededCallback = {
  consumerId: string
  printJobKey: string
  sequence?: number
  state?: 'WAITING' | 'DUE' | 'DELIVERED' | 'DEAD'
  reason?: 'gone' | 'refused' | 'unsendable' | 'retries-off' | 'window-ended'
  attempts?: number
  createdAt?: Date
  windowEndsAt?: Date
}

/** Inserts a callback. Returns its id. */
export async function seedCallback(
  { db }: Database,
  {
    consumerId,
    printJobKey,
    sequence = 1,
    state = 'DEAD',
    reason = 'window-ended',
    attempts = state === 'DUE' ? 0 : 1,
    createdAt = new Date('2026-03-04T05:06:07Z'),
    windowEndsAt,
  }: SeededCallback,
): Promise<string> {
  const id = randomUUID()
  const hasEnded = state === 'DELIVERED' || state === 'DEAD'
  await db
    .insertInto('callback')
    .values({
      id,
      consumer_id: consumerId,
      print_job_key: printJobKey,
      sequence,
      kind: 'status',
      status: 'DESPATCHED',
      body: Buffer.from(JSON.stringify({ id, data: { sequence } })),
      origin,
      state,
      end_reason: state === 'DEAD' ? reason : null,
      attempts,
      created_at: createdAt,
      owed_since: createdAt,
      first_attempt_at: attempts > 0 ? createdAt : null,
      window_ends_at: windowEndsAt ?? null,
      due_at: state === 'DUE' ? new Date(Date.now() + 3_600_000) : null,
      ended_at: hasEnded ? createdAt : null,
    })
    .execute()
  return id
}

/** Inserts `count` dead callbacks of one print job in one statement. */
export async function seedManyCallbacks(
  { pool }: Database,
  { consumerId, printJobKey, count }: { consumerId: string; printJobKey: string; count: number },
): Promise<void> {
  await pool.query(
    `insert into callback
       (id, consumer_id, print_job_key, sequence, kind, status, body, origin, state, end_reason, ended_at)
     select gen_random_uuid(), $1, $2, number, 'status', 'DESPATCHED', '{}', $3, 'DEAD', 'window-ended', now()
     from generate_series(1, $4::integer) as number`,
    [consumerId, printJobKey, origin, count],
  )
}

/** Returns the state of all callbacks of a consumer, oldest first. */
export async function readCallbacks({ db }: Database, consumerId: string) {
  return db
    .selectFrom('callback')
    .select(['id', 'state', 'replays', 'attempts', 'attempts_before', 'due_at', 'end_reason'])
    .where('consumer_id', '=', consumerId)
    .orderBy('position')
    .execute()
}
