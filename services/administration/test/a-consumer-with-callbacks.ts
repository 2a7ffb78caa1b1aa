import type { CallbackEndReason } from '@despatch/domain/callback/callback-state'
import { findAccount } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { seeder } from '@despatch/testing/seed-print-job'

const message = { data: { secret: 'SECRET of the message' } }
export const callbackOrigins = ['https://a.example', 'https://b.example'] as const

/** A consumer with a print job, whose callbacks differ by their position. */
export async function consumerWithCallbacks(db: Db) {
  const seed = await seeder(db)
  const { consumerId, contractId } = seed
  const { userName } = (await findAccount(db, consumerId))!
  const key = await seed.printJob({ status: 'REJECTED' })
  let sequence = 0
  /** Adds a callback that is due, delivered, or dead for this reason, created at this moment. */
  const owes = async (
    state: 'DUE' | 'DELIVERED' | CallbackEndReason,
    { createdAt = '2026-01-01T00:00:00.000Z', origin = callbackOrigins[0] as string } = {},
  ) => {
    const isDead = state !== 'DUE' && state !== 'DELIVERED'
    const at = new Date(createdAt)
    sequence += 1
    return seed.callback({
      print_job_key: key,
      sequence,
      body: Buffer.from(JSON.stringify(message)),
      origin,
      state: isDead ? 'DEAD' : state,
      end_reason: isDead ? state : null,
      created_at: at,
      owed_since: at,
      due_at: state === 'DUE' ? at : null,
      ended_at: state === 'DUE' ? null : at,
    })
  }
  return { consumerId, contractId, userName, jobId: key, owes }
}
