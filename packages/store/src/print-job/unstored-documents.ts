import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** A document that is not in the object store yet. The hash is hexadecimal. */
export type UnstoredDocument = { sha256: string; pdf: Uint8Array }

/** Documents of letters without files begin with the same typeface, which is most of them: it is kept once. */
export type NewUnstoredDocument = UnstoredDocument & {
  /** The part that other documents begin with as well. */
  beginning?: { sha256: string; bytes: number } | undefined
}

/** After this time a document is stored although letters wait for the pipeline. */
const storedAfterSeconds = 60

/** Keeps documents until they are in the object store. Call it in the transaction that names them. */
export async function insertUnstoredDocuments(
  tx: Tx,
  documents: readonly (NewUnstoredDocument & { key: string })[],
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
      on conflict do nothing
    )
    insert into unstored_document (sha256, print_job_key, beginning_sha256, rest)
    select decode(sha256, 'hex'), key, decode(beginning, 'hex'), rest
    from unnest(${documents.map(({ sha256 }) => sha256)}::text[], ${documents.map(({ key }) => key)}::uuid[],
      ${documents.map(({ beginning }) => beginning?.sha256 ?? null)}::text[],
      ${documents.map(({ pdf, beginning }) => pdf.subarray(beginning?.bytes ?? 0))}::bytea[])
      as row (sha256, key, beginning, rest)
    on conflict do nothing`.execute(tx)
}

/** SQL: the bytes of a row of `unstored_document`. */
export const unstoredPdf = sql.raw(`(
  coalesce((select bytes from document_beginning where sha256 = unstored_document.beginning_sha256), '')
    || unstored_document.rest)`)

/**
 * Locks documents to store, oldest first, until the transaction ends: all of them while no letter waits for the
 * pipeline, otherwise those that have waited long. Skips those that another process stores.
 */
export function lockDueDocuments(tx: Tx, limit: number): Promise<UnstoredDocument[]> {
  return lock(
    tx,
    sql`since <= now() - case when exists (select from work_waiting) then ${storedAfterSeconds} else 0 end
      * interval '1 second'`,
    sql`order by since limit ${limit} for update skip locked`,
  )
}

/** As `lockDueDocuments`, for the documents of a print run. Waits for those that another process stores. */
export function lockDocumentsOfRun(
  tx: Tx,
  batchNumber: string,
  limit: number,
): Promise<UnstoredDocument[]> {
  return lock(tx, isOfRun(batchNumber), sql`order by sha256 limit ${limit} for update`)
}

/** SQL condition on `unstored_document`: the letter is in the print run. */
export function isOfRun(batchNumber: string) {
  return sql<boolean>`exists (
    select from print_job where key = unstored_document.print_job_key and batch_number = ${batchNumber})`
}

async function lock(
  tx: Tx,
  condition: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<UnstoredDocument[]> {
  const { rows } = await sql<UnstoredDocument>`
    select encode(sha256, 'hex') as sha256, ${unstoredPdf} as pdf from unstored_document where ${condition} ${order}`.execute(
    tx,
  )
  return rows
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
