import { randomUUID } from 'node:crypto'
import type { CallbackEndReason } from '@despatch/domain/callback/callback-state'
import type { Db } from '@despatch/store/database'
import { insertConsumer, someStandardParams } from '@despatch/testing/print-job-builders'

const message = { data: { secret: 'SECRET of the message' } }
export const callbackOrigins = ['https://a.example', 'https://b.example'] as const

/** A consumer with a print job, whose callbacks differ by their position. */
export async function consumerWithCallbacks(db: Db) {
  const userName = `tells-${randomUUID()}`
  const { consumerId, contractId } = await insertConsumer(db, { userName })
  const key = randomUUID()
  const jobId = `job-${key}`
  await db
    .insertInto('print_job')
    .values({
      key,
      consumer_id: consumerId,
      id: jobId,
      status: 'REJECTED',
      contract_id: contractId,
      standard_params: JSON.stringify(someStandardParams),
      callback_params: '{}',
      callback_statuses: ['REJECTED'],
      correlation_id: 'correlation-1',
      request_fingerprint: Buffer.alloc(32),
    })
    .execute()
  let sequence = 0
  /** Adds a callback that is due, delivered, or dead for this reason, created at this moment. */
  const owes = async (
    state: 'DUE' | 'DELIVERED' | CallbackEndReason,
    { createdAt = '2026-01-01T00:00:00.000Z', origin = callbackOrigins[0] as string } = {},
  ) => {
    const id = randomUUID()
    const isDead = state !== 'DUE' && state !== 'DELIVERED'
    sequence += 1
    await db
      .insertInto('callback')
      .values({
        id,
        consumer_id: consumerId,
        print_job_key: key,
        sequence,
        status: 'REJECTED',
        body: Buffer.from(JSON.stringify(message)),
        origin,
        state: isDead ? 'DEAD' : state,
        end_reason: isDead ? state : null,
        created_at: new Date(createdAt),
        owed_since: new Date(createdAt),
        due_at: state === 'DUE' ? new Date(createdAt) : null,
        ended_at: state === 'DUE' ? null : new Date(createdAt),
      })
      .execute()
    return id
  }
  return { consumerId, contractId, userName, jobId, owes }
}
