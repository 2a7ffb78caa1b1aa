import { randomUUID } from 'node:crypto'
import { renderStatusMessage } from '@despatch/domain/callback/status-message'
import type { CallbackParams } from '@despatch/domain/print-job/params'
import type { Db } from '@despatch/store/database'
import { insertConsumer, someStandardParams } from '@despatch/testing/print-job-builders'

export type SeededCallback = { id: string; printJobKey: string; body: Buffer }

export type CallbackSeed = {
  params: CallbackParams
  authenticationSealed?: Buffer
  dueAt?: Date
  /** False: its wake-up was lost. */
  withTask?: boolean
}

/** Inserts a print job that was rejected, and the callback owed for it. */
export async function seedCallback(db: Db, seed: CallbackSeed): Promise<SeededCallback> {
  const { params, authenticationSealed, dueAt = new Date(Date.now() - 1), withTask = true } = seed
  const { consumerId, contractId } = await insertConsumer(db)
  const printJobKey = randomUUID()
  const id = randomUUID()
  const body = Buffer.from(
    renderStatusMessage({
      messageId: id,
      sequence: 1,
      printJobId: printJobKey,
      jobType: 'LETTER',
      templateReference: 'T1',
      status: 'REJECTED',
      at: new Date(),
      comment: 'Page 2 is too wide',
      despatchProperties: null,
      correlationId: 'correlation-1',
    }),
  )
  await db
    .insertInto('print_job')
    .values({
      key: printJobKey,
      consumer_id: consumerId,
      id: printJobKey,
      status: 'REJECTED',
      contract_id: contractId,
      standard_params: JSON.stringify(someStandardParams),
      callback_params: JSON.stringify(params),
      callback_authentication_sealed: authenticationSealed ?? null,
      callback_statuses: ['DESPATCHED', 'REJECTED'],
      correlation_id: 'correlation-1',
      request_fingerprint: Buffer.alloc(32),
    })
    .execute()
  await insertCallback(db, { id, printJobKey, body }, { sequence: 1, dueAt, withTask })
  return { id, printJobKey, body }
}

export async function insertCallback(
  db: Db,
  { id, printJobKey, body }: SeededCallback,
  { sequence, dueAt, withTask }: { sequence: number; dueAt: Date; withTask: boolean },
): Promise<void> {
  await db
    .insertInto('callback')
    .values({ id, print_job_key: printJobKey, sequence, status: 'REJECTED', body, due_at: dueAt })
    .execute()
  if (!withTask) return
  await db.insertInto('outbox').values({ queue: 'callback', subject: id, epoch: 0 }).execute()
}
