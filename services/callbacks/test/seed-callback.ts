import { randomUUID } from 'node:crypto'
import { sealedBox } from '@despatch/access/sealed-box'
import { callbackDestinationPurpose, writeDestination } from '@despatch/domain/callback/destination'
import { renderStatusMessage } from '@despatch/domain/callback/status-message'
import type { RetryParams } from '@despatch/domain/print-job/params'
import { transact } from '@despatch/postgres/transact'
import { insertCallbacks } from '@despatch/store/callback/insert'
import type { Db } from '@despatch/store/database'
import {
  insertConsumer,
  type StoredConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import { someKeys } from '@despatch/testing/some-keys'

export const secretKey = someKeys.DESPATCH_KEY_CALLBACKS

export type SeededPrintJob = { key: string; consumer: StoredConsumer }
export type SeededCallback = { id: string; body: Buffer }

export type PrintJobSeed = {
  target: string
  authenticationHeader?: string
  retryParams?: RetryParams
  /** The owner. Default: a new consumer. */
  consumer?: StoredConsumer
}

/** Inserts a print job that was rejected. */
export async function seedPrintJob(db: Db, seed: PrintJobSeed): Promise<SeededPrintJob> {
  const { target, authenticationHeader, retryParams } = seed
  const consumer = seed.consumer ?? (await insertConsumer(db))
  const key = randomUUID()
  const destinationBox = sealedBox(secretKey, { purpose: callbackDestinationPurpose })
  const destination = { target, ...(authenticationHeader && { authenticationHeader }) }
  await db
    .insertInto('print_job')
    .values({
      key,
      consumer_id: consumer.consumerId,
      id: key,
      status: 'REJECTED',
      contract_id: consumer.contractId,
      standard_params: JSON.stringify(someStandardParams),
      callback_params: JSON.stringify({ ...(retryParams && { retryParams }) }),
      callback_origin: new URL(target).origin,
      callback_destination_sealed: destinationBox.seal(writeDestination(destination)),
      callback_statuses: ['DESPATCHED', 'REJECTED'],
      correlation_id: 'correlation-1',
      request_fingerprint: Buffer.alloc(32),
    })
    .execute()
  return { key, consumer }
}

/** Adds an owed callback as the pipeline does. */
export async function addCallback(
  db: Db,
  { key }: SeededPrintJob,
  sequence = 1,
): Promise<SeededCallback> {
  const id = randomUUID()
  const body = Buffer.from(
    renderStatusMessage({
      messageId: id,
      sequence,
      printJobId: key,
      jobType: 'LETTER',
      templateReference: 'T1',
      status: 'REJECTED',
      at: new Date(),
      comment: 'Page 2 is too wide',
      despatchProperties: null,
      correlationId: 'correlation-1',
    }),
  )
  await transact(db, (tx) =>
    insertCallbacks(tx, [{ id, key, sequence, body }], {
      kind: 'status',
      status: 'REJECTED',
    }),
  )
  return { id, body }
}

/** Inserts a new print job that owes one callback. */
export async function seedCallback(db: Db, seed: PrintJobSeed): Promise<SeededCallback> {
  return addCallback(db, await seedPrintJob(db, seed))
}
