import { randomBytes, randomUUID } from 'node:crypto'
import { sealedBox } from '@despatch/access/sealed-box'
import {
  callbackDestinationPurpose,
  callbackSecretPurpose,
  writeDestination,
} from '@despatch/domain/callback/destination'
import { renderStatusMessage } from '@despatch/domain/callback/status-message'
import { transact } from '@despatch/postgres/transact'
import { insertCallbacks, type NewCallback } from '@despatch/store/callback/insert'
import { insertSigningSecret } from '@despatch/store/callback/signing-secrets'
import type { Database } from '@despatch/store/database'
import { insertConsumer, type StoredConsumer } from '@despatch/testing/print-job-builders'

/** A message to an origin, of a print job that has no other message. */
export type Message = NewCallback & { origin: string; correlationId: string }

export const path = '/print/callbacks?tenant=bench'
export const authenticationHeader = `Bearer ${randomBytes(24).toString('base64url')}`
const retryParams = { enabled: true, maxRetryWindow: 3_600 }
const printJobsPerStatement = 2_000

/** A consumer whose callbacks are signed with the secret: `whsec_` and base64. */
export type SigningConsumer = StoredConsumer & { secret: string }

/** Inserts a consumer whose callbacks are signed. */
export async function insertSigningConsumer(
  { db }: Database,
  secretKeyHex: string,
): Promise<SigningConsumer> {
  const consumer = await insertConsumer(db)
  const box = sealedBox(secretKeyHex, { purpose: callbackSecretPurpose })
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const { consumerId } = consumer
  const sealed = { id: randomUUID(), consumerId, secretSealed: box.seal(secret), overlapSeconds: 0 }
  await transact(db, (tx) => insertSigningSecret(tx, sealed))
  return { ...consumer, secret }
}

/** Renders the messages of rejected print jobs, for the origins in turn. */
export function renderMessages(count: number, origins: readonly string[]): Message[] {
  return Array.from({ length: count }, (_, index) => {
    const [id, key, correlationId] = [randomUUID(), randomUUID(), randomUUID()]
    const body = renderStatusMessage({
      messageId: id,
      sequence: 1,
      printJobId: `CASE-${index}-${key.slice(0, 8)}`,
      jobType: 'LETTER',
      templateReference: 'LETTER',
      status: 'REJECTED',
      at: new Date(),
      comment: 'PDF-PAGE-SIZE: page 2 of letter.pdf is 216 mm wide, 210 mm at most',
      despatchProperties: null,
      correlationId,
    })
    const origin = origins[index % origins.length]!
    return { id, key, sequence: 1, body: Buffer.from(body), origin, correlationId }
  })
}

/** Saves the print jobs of the messages, each with its own sealed destination. */
export async function insertPrintJobs(
  { pool }: Database,
  messages: readonly Message[],
  given: { consumer: StoredConsumer; secretKeyHex: string },
): Promise<void> {
  const { consumer, secretKeyHex } = given
  const box = sealedBox(secretKeyHex, { purpose: callbackDestinationPurpose })
  for (let first = 0; first < messages.length; first += printJobsPerStatement) {
    const some = messages.slice(first, first + printJobsPerStatement)
    await pool.query(
      `insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_params,
        callback_destination_sealed, callback_origin, callback_statuses, callback_sequence, correlation_id,
        request_fingerprint, event_sequence)
      select row.key, $1, row.key::text, 'REJECTED', $2,
        '{"jobType":"LETTER","templateReference":"LETTER","recipientName":"Ms Rosalind Appleyard","address":{"unstructuredAddress":{"line1":"12 Mill Lane","line5":"ANYTOWN","postcode":"AB1 2CD"}}}',
        $3, row.sealed, row.origin, '{DESPATCHED,REJECTED}', 1, row.correlation_id, sha256(row.key::text::bytea), 3
      from unnest($4::uuid[], $5::bytea[], $6::text[], $7::text[]) as row (key, sealed, origin, correlation_id)`,
      [
        consumer.consumerId,
        consumer.contractId,
        JSON.stringify({ retryParams }),
        some.map(({ key }) => key),
        some.map(({ origin }) =>
          box.seal(writeDestination({ target: `${origin}${path}`, authenticationHeader })),
        ),
        some.map(({ origin }) => origin),
        some.map(({ correlationId }) => correlationId),
      ],
    )
  }
}

/** Makes the messages owed in one transaction. `beforeCommit` is called just before the commit. */
export function addMessages(
  { db }: Database,
  messages: readonly Message[],
  beforeCommit: () => void = () => {},
): Promise<void> {
  return transact(db, async (tx) => {
    await insertCallbacks(tx, messages, { kind: 'status', status: 'REJECTED' })
    beforeCommit()
  })
}
