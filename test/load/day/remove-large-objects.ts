import { documentKey, fileKey, uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type pg from 'pg'

const largeBytesMin = 1024 * 1024

type LargeLetter = { document: string; file: string; uploadId: string }

/**
 * Returns a pass that removes the large objects of closed print runs, as the purge does later: the disk need not hold
 * those of the whole day.
 */
export function largeObjectRemover(
  pool: pg.Pool,
  objects: Pick<ObjectStore, 'remove'>,
): () => Promise<void> {
  const done: string[] = []
  return async () => {
    const { rows: closed } = await pool.query<{ batchNumber: string }>(
      `select batch_number as "batchNumber" from print_run where state = 'CLOSED' and batch_number <> all ($1)`,
      [done],
    )
    for (const { batchNumber } of closed) {
      const { rows } = await pool.query<LargeLetter>(
        `select encode(document.sha256, 'hex') as document, encode(file.sha256, 'hex') as file,
           file.upload_id as "uploadId"
         from print_run_document document join print_job_file file using (print_job_key)
         where document.batch_number = $1 and file.bytes >= $2`,
        [batchNumber, largeBytesMin],
      )
      for (const { document, file, uploadId } of rows) {
        await objects.remove(documentKey(document))
        await objects.remove(fileKey(file))
        await objects.remove(uploadKey(uploadId))
      }
      done.push(batchNumber)
    }
  }
}
