import { createHash } from 'node:crypto'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { documentKey, fileKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { StoredConsumer } from '@despatch/testing/print-job-builders'
import { putOtherBytes } from '@despatch/testing/put-other-bytes'
import type pg from 'pg'
import { seedPrintJobs } from '../runs/seed-print-jobs.ts'

const putsAtOnce = 16
const batchNumber = 'R0'
const dayMs = 24 * 60 * 60 * 1000

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Saves letters that were despatched 100 days ago. Each has an upload, a file, a document in a closed print run, five
 * events and a delivered callback. Their files and documents are in the object store.
 */
export async function seedEndedLetters(
  pool: pg.Pool,
  { objects, consumer, count }: { objects: ObjectStore; consumer: StoredConsumer; count: number },
): Promise<void> {
  const hashes = Array.from({ length: count }, (_, index) => hashOf(`letter ${index}`))
  await putAll(
    objects,
    hashes.flatMap((sha256) => [fileKey(sha256), documentKey(sha256)]),
  )
  await pool.query(
    `insert into print_run (batch_number, provider_id, print_location, despatch_method, stationery, plex, colour, state,
       claimed_at, manifest_version, manifest_digest, closed_at)
     values ($1, 'bench', 'BENCH', 'SECOND', 'A4-PLAIN', 'duplex', true, 'CLOSED', now(), 1, '', now())`,
    [batchNumber],
  )
  const documents = hashes.map((sha256) => ({ sha256, bytes: 100, pages: 2, sheets: 1 }))
  await seedPrintJobs(pool, { consumer, documents, batchNumber })
  for (const statement of statements) await pool.query(statement)
  await pool.query('vacuum analyze')
}

const statements = [
  `update print_job set despatched_at = now() - interval '100 days'`,
  `insert into print_run_document (batch_number, document_id, print_job_key, fulfilment_job_id, sequence, sha256, bytes,
     pages, sheets, progress)
   select batch_number, document_id, key, fulfilment_job_id, row_number() over (order by document_number),
     document_sha256, document_bytes, document_pages, document_sheets, 'ENCLOSED'
   from print_job`,
  `insert into print_job_file (print_job_key, position, file_id, source, upload_id, sha256, bytes, media_type, pinned_at)
   select key, 1, 'enclosure', 'upload', key, document_sha256, 100, 'application/pdf', now() from print_job`,
  `insert into callback (id, consumer_id, origin, print_job_key, sequence, status, body, state, attempts, first_attempt_at, ended_at)
   select key, consumer_id, 'https://consumer.invalid', key, 1, 'DESPATCHED', convert_to(repeat('b', 400), 'UTF8'), 'DELIVERED', 1, now(), now()
   from print_job`,
  `insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, http_status)
   select key, 1, now(), now(), 20, 'delivered', 204 from print_job`,
]

/** Stores objects that no row names. */
export async function putOrphans(objects: ObjectStore, count: number): Promise<void> {
  await putAll(
    objects,
    Array.from({ length: count }, (_, index) => fileKey(hashOf(`orphan ${index}`))),
  )
}

async function putAll(objects: ObjectStore, keys: readonly string[]): Promise<void> {
  const left = keys.values()
  const putOn = async () => {
    for (const key of left) await putOtherBytes(objects, key, Buffer.from(key))
  }
  await Promise.all(Array.from({ length: putsAtOnce }, putOn))
}

/** Makes all objects of the embedded store two days old. It stores each in files of its directory. */
export async function ageObjects(directory: string): Promise<void> {
  const at = new Date(Date.now() - 2 * dayMs)
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), at, at)
  }
}
