import { createHash } from 'node:crypto'
import type { Database } from '@despatch/store/database'
import type { StoredConsumer } from '@despatch/testing/print-job-builders'
import { makeUpDocuments } from './made-up-documents.ts'
import { providerId } from './provider.ts'
import { seedPrintJobs } from './seed-print-jobs.ts'

const runDocumentsMax = 50_000

/** Saves this many print jobs that were despatched earlier, in closed print runs. */
export async function storeFinishedRuns(
  { pool }: Database,
  { consumer, count, tell }: { consumer: StoredConsumer; count: number; tell(line: string): void },
): Promise<void> {
  for (let stored = 0; stored < count; stored += runDocumentsMax) {
    tell(`storing finished print jobs: ${stored.toLocaleString('en-GB')}`)
    const documents = makeUpDocuments(Math.min(runDocumentsMax, count - stored))
    const batchNumber = `R0${stored}`
    const digest = createHash('sha256').update(batchNumber).digest()
    await pool.query(
      `insert into print_run (batch_number, provider_id, print_location, despatch_method, stationery, plex, colour,
        state, released_at, claimed_at, manifest_version, manifest_digest, acknowledged_at, acknowledgement_hash,
        posted_at, closed_at, document_count)
      values ($1, $2, 'BENCH', 'SECOND', 'A4-PLAIN', 'duplex', true, 'CLOSED', now(), now(), 1, $3, now(), $3, now(),
        now(), $4)`,
      [batchNumber, providerId, digest, documents.length],
    )
    await seedPrintJobs(pool, { consumer, documents, batchNumber })
    await pool.query(
      `insert into print_run_document (batch_number, document_id, print_job_key, fulfilment_job_id, sequence, sha256,
        bytes, pages, sheets, progress)
      select batch_number, document_id, key, fulfilment_job_id, row_number() over (order by document_number),
        document_sha256, document_bytes, document_pages, document_sheets, 'ENCLOSED'
      from print_job where batch_number = $1`,
      [batchNumber],
    )
  }
  await pool.query('vacuum analyze')
}
