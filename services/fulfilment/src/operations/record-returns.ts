import { randomUUID } from 'node:crypto'
import type { ReturnsResponse } from '@despatch/contracts/print-fulfilment/returned-letter'
import { recordReturns as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import { renderReturnMessage } from '@despatch/domain/callback/return-message'
import {
  describeReturn,
  judgeReturn,
  type ReturnDisposition,
  type ReturnJudgement,
  type ReturnReasonCode,
  type ReturnRefusal,
} from '@despatch/domain/print-run/returned-letter'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { transact } from '@despatch/postgres/transact'
import { insertCallbacks } from '@despatch/store/callback/insert'
import type { Db, Tx } from '@despatch/store/database'
import { notePrintJobs } from '@despatch/store/print-job/notes'
import { sql } from 'kysely'
import {
  type DespatchedLetter,
  listLetters,
  lockLetters,
  type NamedReturn,
  readReturns,
} from '../posting/find-returned-letters.ts'
import { providerOf } from '../request/provider-of.ts'
import { hashRequest } from '../request/request-hash.ts'

/** POST /returns: records letters that came back, and why. */
export function recordReturns(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { returns } = request.body
      const judgements = await saveReturns(db, {
        providerId: providerOf(request.caller),
        returns: returns.map((each) => ({
          ...each,
          returnHash: hashRequest(each),
          scannedAt: new Date(each.scannedAt),
        })),
      })
      const results = returns.map(({ returnId }, index) => ({
        returnId,
        ...resultOf(judgements[index]!),
      }))
      const recordedCount = results.filter(({ result }) => result === 'RECORDED').length
      addToLogLine(request, { returnCount: returns.length, recordedCount })
      return { results }
    },
  })
}

function resultOf(
  judgement: ReturnJudgement,
): Omit<ReturnsResponse['results'][number], 'returnId'> {
  switch (judgement.kind) {
    case 'record':
      return { result: 'RECORDED' }
    case 'duplicate':
      return { result: 'DUPLICATE' }
    case 'refuse':
      return { result: 'REFUSED', refusal: judgement.reason, detail: details[judgement.reason] }
  }
}

const details: Record<ReturnRefusal, string> = {
  'unknown-document': 'None of your documents has this documentId or mailmarkItemId',
  'not-despatched': 'The letter has not been despatched: its posting is not confirmed',
  'return-id-reused': 'The returnId belongs to another return, or was used with other content',
  'already-returned': 'The letter was already returned with another returnId',
}

/** A letter that came back. */
type ReturnedLetter = NamedReturn & {
  returnHash: Buffer
  reasonCode: ReturnReasonCode
  disposition: ReturnDisposition
  scannedAt: Date
}

type RecordedReturn = ReturnedLetter & { letter: DespatchedLetter }

/**
 * Records returned letters of the provider, with a note in each timeline and, if the contract requests it, a callback.
 * The print jobs stay DESPATCHED. Returns a verdict for each, in order; a refused one does not affect the others.
 */
async function saveReturns(
  db: Db,
  { providerId, returns }: { providerId: string; returns: readonly ReturnedLetter[] },
): Promise<ReturnJudgement[]> {
  return transact(db, async (tx) => {
    await lockReturns(tx, providerId)
    const letters = await lockLetters(tx, await listLetters(tx, { providerId, returns }))
    const { hashes, returnedKeys } = await readReturns(tx, { providerId, returns, letters })
    const recorded: RecordedReturn[] = []
    const judgements = returns.map((each, index) => {
      const letter = letters[index]
      const hash = hashes.get(each.returnId)
      const known = !hash ? 'nothing' : hash.equals(each.returnHash) ? 'the-same' : 'another'
      const judgement = judgeReturn(
        known,
        letter && { ...letter, isReturned: returnedKeys.has(letter.printJobKey) },
      )
      if (judgement.kind === 'record') {
        recorded.push({ ...each, letter: letter! })
        returnedKeys.add(letter!.printJobKey)
      }
      return judgement
    })
    await insertReturns(tx, providerId, recorded)
    await insertReturnCallbacks(tx, providerId, recorded)
    return judgements
  })
}

/** Serialises the calls of a provider: two concurrent reports of the same return would each find it new. */
async function lockReturns(tx: Tx, providerId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`returned_letter:${providerId}`}, 0))`.execute(
    tx,
  )
}

async function insertReturns(
  tx: Tx,
  providerId: string,
  recorded: readonly RecordedReturn[],
): Promise<void> {
  if (recorded.length === 0) return
  const rows = recorded.map(({ letter, ...each }) => ({
    return_id: each.returnId,
    return_hash: each.returnHash.toString('hex'),
    print_job_key: letter.printJobKey,
    batch_number: letter.batchNumber,
    document_id: letter.documentId,
    reason_code: each.reasonCode,
    disposition: each.disposition,
    scanned_at: each.scannedAt,
  }))
  await sql`
    insert into returned_letter (provider_id, return_id, return_hash, print_job_key, batch_number, document_id,
      reason_code, disposition, scanned_at)
    select ${providerId}, return_id, decode(return_hash, 'hex'), print_job_key, batch_number, document_id, reason_code,
      disposition, scanned_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      return_id text, return_hash text, print_job_key uuid, batch_number text, document_id text, reason_code text,
      disposition text, scanned_at timestamptz)`.execute(tx)
}

async function insertReturnCallbacks(
  tx: Tx,
  providerId: string,
  recorded: readonly RecordedReturn[],
): Promise<void> {
  const notes = recorded.map(({ letter, ...each }) => ({
    key: letter.printJobKey,
    note: 'return' as const,
    reason: describeReturn(each),
  }))
  await notePrintJobs(tx, notes, { actor: `provider:${providerId}` })

  const reportedKeys = recorded.flatMap(({ letter }) =>
    letter.owesCallback ? [letter.printJobKey] : [],
  )
  const counted = await countCallbacks(tx, reportedKeys)
  const owed = recorded.flatMap((each) => {
    const count = counted.get(each.letter.printJobKey)
    return count ? [newCallback(each, count)] : []
  })
  await insertCallbacks(tx, owed, { kind: 'return', status: 'DESPATCHED' })
}

type CountedCallback = { printJobKey: string; sequence: number; at: Date }

/** Assigns the number of the next callback of each print job. */
async function countCallbacks(
  tx: Tx,
  keys: readonly string[],
): Promise<Map<string, CountedCallback>> {
  const { rows } = await sql<CountedCallback>`
    update print_job set callback_sequence = callback_sequence + 1
    where key = any (${keys}::uuid[])
    returning key as "printJobKey", callback_sequence as sequence, now() as at`.execute(tx)
  return new Map(rows.map((row) => [row.printJobKey, row]))
}

function newCallback({ letter, ...each }: RecordedReturn, { sequence, at }: CountedCallback) {
  const id = randomUUID()
  const body = renderReturnMessage({ messageId: id, sequence, at, ...letter, ...each })
  return { id, key: letter.printJobKey, sequence, body: Buffer.from(body) }
}
