import { randomUUID } from 'node:crypto'
import { sealedBox } from '@despatch/access/sealed-box'
import { callbackDestinationPurpose, writeDestination } from '@despatch/domain/callback/destination'
import { renderStatusMessage } from '@despatch/domain/callback/status-message'
import type { RetryParams } from '@despatch/domain/print-job/params'
import { transact } from '@despatch/postgres/transact'
import { insertCallbacks, type NewCallback } from '@despatch/store/callback/insert'
import type { Database } from '@despatch/store/database'
import { type StoredConsumer, someStandardParams } from '@despatch/testing/print-job-builders'

/** A print job that asks for callbacks, and how many it has been owed so far. */
export type CalledPrintJob = { key: string; owed: number }
export type CallbackTarget = { target: string; retryParams: RetryParams | undefined }

const status = 'REJECTED'

/** Adds print jobs that have reached their last status but owe their callbacks. */
export async function addCalledPrintJobs(
  { pool }: Database,
  consumer: StoredConsumer,
  { secretKey, places }: { secretKey: string; places: readonly CallbackTarget[] },
): Promise<CalledPrintJob[]> {
  const box = sealedBox(secretKey, { purpose: callbackDestinationPurpose })
  const keys = places.map(() => randomUUID())
  await pool.query(
    `insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_params,
       callback_destination_sealed, callback_origin, callback_statuses, correlation_id, request_fingerprint)
     select key, $2, key::text, $3, $4, $5::jsonb, params, sealed, origin, '{DESPATCHED}', key::text, '\\x00'
     from unnest($1::uuid[], $6::jsonb[], $7::bytea[], $8::text[]) as row (key, params, sealed, origin)`,
    [
      keys,
      consumer.consumerId,
      status,
      consumer.contractId,
      JSON.stringify(someStandardParams),
      places.map(({ retryParams }) => JSON.stringify({ retryParams })),
      places.map(({ target }) => box.seal(writeDestination({ target }))),
      places.map(({ target }) => new URL(target).origin),
    ],
  )
  return keys.map((key) => ({ key, owed: 0 }))
}

/** Makes each print job owe its next callback. A print job that occurs twice owes two. */
export async function addCallbacks(
  { db }: Database,
  printJobs: readonly CalledPrintJob[],
): Promise<void> {
  const owed = printJobs.map(nextCallback)
  const keys = printJobs.map(({ key }) => key)
  const counts = Map.groupBy(new Set(keys), (key) => keys.filter((named) => named === key).length)
  await transact(db, async (tx) => {
    for (const [count, counted] of counts) {
      await tx
        .updateTable('print_job')
        .set(({ eb }) => ({ callback_sequence: eb('callback_sequence', '+', count) }))
        .where('key', 'in', counted)
        .execute()
    }
    await insertCallbacks(tx, owed, { kind: 'status', status })
  })
}

function nextCallback(printJob: CalledPrintJob): NewCallback {
  printJob.owed += 1
  const { key, owed: sequence } = printJob
  const id = randomUUID()
  const body = renderStatusMessage({
    messageId: id,
    sequence,
    printJobId: key,
    jobType: 'LETTER',
    templateReference: 'LETTER',
    status,
    at: new Date(),
    comment: null,
    despatchProperties: null,
    correlationId: key,
  })
  return { id, key, sequence, body: Buffer.from(body) }
}
