import type { Tx } from '@despatch/store/database'
import { sql } from 'kysely'

/** The id of a return, and its letter, named by document or by Mailmark. */
export type NamedReturn = {
  /** Chosen by the provider; an id identifies one return for ever. */
  returnId: string
  documentId?: string | undefined
  mailmarkItemId?: string | undefined
}

/** A letter that a return names. */
export type DespatchedLetter = {
  printJobKey: string
  batchNumber: string
  documentId: string
  isDespatched: boolean
  printJobId: string
  jobType: string
  templateReference: string
  businessIdentifier: string | null
  correlationId: string
  /** Whether its contract requests callbacks for returns and the print job has a callback target. */
  owesCallback: boolean
}

type NamedLetter = { printJobKey: string; batchNumber: string; documentId: string }

/** Lists the provider's newest letter for each return, in the order of the returns. */
export async function listLetters(
  tx: Tx,
  { providerId, returns }: { providerId: string; returns: readonly NamedReturn[] },
): Promise<(NamedLetter | undefined)[]> {
  const { rows } = await sql<{ place: number } & NamedLetter>`
    select named.place::integer, found.*
    from unnest(${returns.map(({ documentId }) => documentId ?? null)}::text[],
        ${returns.map(({ mailmarkItemId }) => mailmarkItemId ?? null)}::text[])
      with ordinality as named (document_id, mailmark_item_id, place)
    cross join lateral (
      select document.print_job_key as "printJobKey", document.batch_number as "batchNumber",
        document.document_id as "documentId"
      from print_run_document document join print_run run using (batch_number)
      where (document.document_id = named.document_id or document.mailmark_item_id = named.mailmark_item_id)
        and document.removed_at is null and document.voided_at is null
        and run.provider_id = ${providerId} and run.claimed_at is not null
      order by run.claimed_at desc, run.batch_number desc
      limit 1
    ) found`.execute(tx)
  const letters = new Map(rows.map(({ place, ...letter }) => [place, letter]))
  return returns.map((_, index) => letters.get(index + 1))
}

/** Locks the runs and print jobs of the letters, and reads the data for their consumers' callbacks. */
export async function lockLetters(
  tx: Tx,
  named: readonly (NamedLetter | undefined)[],
): Promise<(DespatchedLetter | undefined)[]> {
  const found = named.flatMap((letter) => letter ?? [])
  const batchNumbers = new Set(found.map(({ batchNumber }) => batchNumber))
  await sql`
    select from print_run where batch_number = any (${[...batchNumbers]}::text[])
    order by batch_number collate "C" for no key update`.execute(tx)
  const keys = new Set(found.map(({ printJobKey }) => printJobKey))
  const { rows } = await sql<Omit<DespatchedLetter, keyof NamedLetter> & { printJobKey: string }>`
    select job.key as "printJobKey", job.status = 'DESPATCHED' as "isDespatched", job.id as "printJobId",
      job.standard_params ->> 'jobType' as "jobType",
      job.standard_params ->> 'templateReference' as "templateReference",
      job.standard_params ->> 'businessIdentifier' as "businessIdentifier", job.correlation_id as "correlationId",
      contract.callback_returns and job.callback_params is not null as "owesCallback"
    from print_job job join contract on contract.id = job.contract_id
    where job.key = any (${[...keys]}::uuid[])
    order by job.key
    for no key update of job`.execute(tx)
  const byKey = new Map(rows.map((row) => [row.printJobKey, row]))
  return named.map((letter) => letter && { ...byKey.get(letter.printJobKey)!, ...letter })
}

/** Reads what is stored under the ids of the returns, and which of the letters came back before. */
export async function readReturns(
  tx: Tx,
  {
    providerId,
    returns,
    letters,
  }: {
    providerId: string
    returns: readonly NamedReturn[]
    letters: readonly (DespatchedLetter | undefined)[]
  },
): Promise<{ hashes: Map<string, Buffer>; returnedKeys: Set<string> }> {
  const { rows: known } = await sql<{ return_id: string; return_hash: Buffer }>`
    select return_id, return_hash from returned_letter
    where provider_id = ${providerId} and return_id = any (${returns.map(({ returnId }) => returnId)}::text[])`.execute(
    tx,
  )
  const { rows: returned } = await sql<{ print_job_key: string }>`
    select print_job_key from returned_letter
    where print_job_key = any (${letters.flatMap((letter) => letter?.printJobKey ?? [])}::uuid[])`.execute(
    tx,
  )
  return {
    hashes: new Map(known.map(({ return_id, return_hash }) => [return_id, return_hash])),
    returnedKeys: new Set(returned.map(({ print_job_key }) => print_job_key)),
  }
}
