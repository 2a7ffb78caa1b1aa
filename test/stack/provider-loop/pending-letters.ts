import { hash, randomUUID } from 'node:crypto'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Database } from '@despatch/store/database'
import type pg from 'pg'

/** The consumer of the letters, and the contract that determines their paper. */
export type LetterContract = { consumerId: string; contractId: string; stationery: string }
export type PendingLetter = { key: string; id: string }

/** All letters share one document. Fetching, hashing and printing it is the same as for any other. */
const content = Buffer.from('%PDF-1.7 a letter of the fault suite\n%%EOF\n')
const lettersPerStatement = 10_000
const sha256 = hash('sha256', content)

/** Stores the document of the letters where fulfilment finds it. */
export async function putSharedDocument(objects: ObjectStore): Promise<void> {
  await objects.put(documentKey(sha256), content, 'application/pdf')
}

/**
 * Adds letters that are PENDING, as the pipeline leaves them, with their timeline so far. This skips composing, so that
 * a run of a hundred thousand letters is feasible. Each letter owes a callback at its end.
 */
export async function addPendingLetters(
  { pool }: Database,
  contract: LetterContract,
  count: number,
): Promise<PendingLetter[]> {
  const letters = Array.from({ length: count }, () => ({ key: randomUUID(), id: randomUUID() }))
  const client = await pool.connect()
  try {
    // One transaction: they become visible together, as one print run requires.
    await client.query('begin')
    for (let from = 0; from < count; from += lettersPerStatement) {
      await insertLetters(client, contract, letters.slice(from, from + lettersPerStatement))
    }
    await client.query('commit')
    return letters
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

async function insertLetters(
  client: pg.PoolClient,
  { consumerId, contractId, stationery }: LetterContract,
  letters: readonly PendingLetter[],
): Promise<void> {
  const standardParams = {
    jobType: 'LETTER',
    templateReference: stationery,
    recipientName: 'Ms A Person',
    address: { unstructuredAddress: { line1: '1 High Street', postcode: 'AB1 2CD' } },
  }
  const printableAddress = { line1: '1 High Street', recipientLine1: 'A', recipientLine2: '' }
  await client.query(
    `with letter as (
       insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_params, callback_origin,
         callback_statuses, correlation_id, request_fingerprint, event_sequence, printable_address, document_sha256,
         document_bytes, document_pages, document_sheets)
       select key, $3, id, 'PENDING', $4, $5::jsonb, '{"target": "https://consumer.example/callback"}', 'https://consumer.example',
         '{DESPATCHED,REJECTED}', id, '\\x00', 3, $6::jsonb, decode($7, 'hex'), $8, 2, 1
       from unnest($1::uuid[], $2::text[]) as row (key, id)
       returning key
     )
     insert into print_job_event (print_job_key, sequence, transition, status, actor)
     select key, step.sequence, step.transition, step.status, 'faults'
     from letter, (values (1, 'submit', 'QUARANTINE'), (2, 'release', 'VALIDATING'), (3, 'accept', 'PENDING'))
       as step (sequence, transition, status)`,
    [
      letters.map(({ key }) => key),
      letters.map(({ id }) => id),
      consumerId,
      contractId,
      JSON.stringify(standardParams),
      JSON.stringify({ ...printableAddress, dps: null }),
      sha256,
      content.length,
    ],
  )
}
