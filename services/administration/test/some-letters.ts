import { hash, randomUUID } from 'node:crypto'
import type { Finding } from '@despatch/domain/preflight/finding'
import { fileKey } from '@despatch/object-store/keys'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import {
  aSubmission,
  insertConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import { aMadeLetter } from './a-made-letter.ts'
import type { Administration } from './an-administration.ts'

type Move = Parameters<typeof movePrintJobs>[1][number]

export const aPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Creates print jobs with real letters in the object store, as intake and the pipeline do. */
export async function someLetters({ db, objects, pool }: Administration) {
  const consumer = await insertConsumer(db)

  const move = (move: Move, transition: Parameters<typeof movePrintJobs>[2]) =>
    db.transaction().execute((tx) => movePrintJobs(tx, [move], transition, { actor: 'test' }))

  /** Stores a picture under each of these ids. The bytes of each are unique. */
  async function someFiles(fileIds: readonly string[]) {
    const files = fileIds.map((fileId, index) => {
      const bytes = Buffer.concat([aPng, Buffer.from(`${fileId} ${index}`)])
      return { fileId, bytes, sha256: hash('sha256', bytes) }
    })
    for (const { bytes, sha256 } of files) await objects.put(fileKey(sha256), bytes, 'image/png')
    const facts = { source: 'custom-param', mediaType: 'image/png' } as const
    const detail = files.map(({ bytes, ...file }) => ({ ...file, ...facts, bytes: bytes.length }))
    return { files, detail }
  }

  /** A print job in quarantine with these files. */
  async function aSubmitted(fileIds: readonly string[] = []) {
    const { files, detail } = await someFiles(fileIds)
    const submission = aSubmission(consumer, { files: detail })
    await saveSubmissions(pool, [submission])
    return { key: submission.key, id: submission.id, files }
  }

  const pin = (key: string) =>
    pool.query('update print_job_file set pinned_at = now() where print_job_key = $1', [key])

  /** An accepted letter of its address page and these files. */
  async function aLetter(fileIds: readonly string[] = [], how = { isUnstored: false }) {
    const { files, detail } = await someFiles(fileIds)
    // its document has bytes of its own, because all suites use one bucket, and some remove or replace documents
    const recipientName = `${someStandardParams.recipientName} ${randomUUID().slice(0, 8)}`
    const standardParams = { ...someStandardParams, recipientName }
    const makers = { db, pool, consumer, objects }
    const letter = await aMadeLetter(makers, { files: detail, standardParams }, how)
    const { key, id, pages, pdf, sha256 } = letter
    await pin(key)
    return { key, id, files, pages, document: { pdf, sha256 } }
  }

  /** A print job rejected for these findings. */
  async function aRejected(findings: readonly Finding[], fileIds: readonly string[] = []) {
    const job = await aSubmitted(fileIds)
    const { key } = job
    await pin(key)
    await move({ key }, 'release')
    await move({ key, comment: findings[0]!.detail, findings }, 'reject')
    return job
  }

  return { consumer, aSubmitted, aLetter, aRejected }
}
