import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** A document that is not in the object store yet. The hash is hexadecimal. */
export type UnstoredDocument = { sha256: string; pdf: Uint8Array }

/** Documents of letters without files begin with the same typeface, which is most of their bytes. It is kept once. */
export type NewUnstoredDocument = UnstoredDocument & {
  /** The part that other documents begin with as well. */
  beginning?: { sha256: string; bytes: number } | undefined
}

/** After this time a document is stored although letters wait for the pipeline. */
const storedAfterSeconds = 60

/**
 * Keeps documents until they are in the object store. Call it in the transaction that names them. Inserts in the order
 * of the hashes, so that transactions with the same documents do not wait for each other in a circle.
 */
export async function insertUnstoredDocuments(
  tx: Tx,
  documents: readonly NewUnstoredDocument[],
): Promise<void> {
  if (documents.length === 0) return
  const beginnings = new Map(
    documents.flatMap(({ pdf, beginning }) =>
      beginning ? [[beginning.sha256, pdf.subarray(0, beginning.bytes)]] : [],
    ),
  )
  await sql`
    with beginning as (
      insert into document_beginning (sha256, bytes)
      select decode(sha256, 'hex'), bytes
      from unnest(${[...beginnings.keys()]}::text[], ${[...beginnings.values()]}::bytea[]) as row (sha256, bytes)
      order by 1
      on conflict do nothing
    )
    insert into unstored_document (sha256, beginning_sha256, rest)
    select decode(sha256, 'hex'), decode(beginning, 'hex'), rest
    from unnest(${documents.map(({ sha256 }) => sha256)}::text[],
      ${documents.map(({ beginning }) => beginning?.sha256 ?? null)}::text[],
      ${documents.map(({ pdf, beginning }) => pdf.subarray(beginning?.bytes ?? 0))}::bytea[])
      as row (sha256, beginning, rest)
    order by 1
    on conflict do nothing`.execute(tx)
}

/** SQL: the bytes of a row of `unstored_document`. */
export const unstoredPdf = sql.raw(`(
  coalesce((select bytes from document_beginning where sha256 = unstored_document.beginning_sha256), '')
    || unstored_document.rest)`)

// all of them while no letter waits for the pipeline, otherwise those that have waited long
const isDue = sql`since <= now()
  - case when exists (select from letter_waiting) then ${storedAfterSeconds} else 0 end * interval '1 second'`

/** SQL: whether a document is to be stored now. */
export const isAnyDocumentDue = sql<boolean>`exists (select from unstored_document where ${isDue})`

/**
 * Locks documents to store, oldest first, until the transaction ends: all of them while no letter waits for the
 * pipeline, otherwise those that have waited long. Skips those that another process stores.
 */
export async function lockDueDocuments(
  tx: Tx,
  limit: number,
): Promise<(UnstoredDocument & { doLettersWait: boolean })[]> {
  const { rows } = await sql<UnstoredDocument & { doLettersWait: boolean }>`
    select encode(sha256, 'hex') as sha256, ${unstoredPdf} as pdf,
      (select exists (select from letter_waiting)) as "doLettersWait"
    from unstored_document
    where ${isDue}
    order by since limit ${limit} for update skip locked`.execute(tx)
  return rows
}

/**
 * As `lockDueDocuments`, for the documents of a print run whose ids come after `after`, in the order of their ids. Waits
 * for those that another process stores. Letters with equal documents share one.
 */
export async function lockDocumentsOfRun(
  tx: Tx,
  batchNumber: string,
  { after, limit }: { after: string; limit: number },
): Promise<(UnstoredDocument & { documentId: string })[]> {
  const { rows } = await sql<UnstoredDocument & { documentId: string }>`
    select document.document_id as "documentId", encode(unstored_document.sha256, 'hex') as sha256, ${unstoredPdf} as pdf
    from print_run_document document join unstored_document on unstored_document.sha256 = document.sha256
    where document.batch_number = ${batchNumber} and document.removed_at is null and document.document_id > ${after}
    order by document.document_id limit ${limit} for update of unstored_document`.execute(tx)
  return rows
}

/** SQL: a document of the print run is not in the object store. */
export function hasUnstored(batchNumber: string) {
  return sql<boolean>`exists (
    select from unstored_document where sha256 in (
      select sha256 from print_run_document
      where batch_number = ${batchNumber} and removed_at is null offset 0))`
}

/** Forgets documents that are in the object store, or that no letter uses any longer. The hashes are hexadecimal. */
export async function deleteUnstoredDocuments(db: Db, sha256s: readonly string[]): Promise<void> {
  if (sha256s.length === 0) return
  await sql`
    delete from unstored_document
    where sha256 in (select decode(sha256, 'hex') from unnest(${sha256s}::text[]) as row (sha256))`.execute(
    db,
  )
}

/** Returns how long the oldest document has not been in the object store, in seconds; 0 if all are. */
export async function oldestUnstoredSeconds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(since)), 0)::double precision as seconds
    from unstored_document`.execute(db)
  return rows[0]!.seconds
}
