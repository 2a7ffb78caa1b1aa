import { hash, randomInt } from 'node:crypto'
import { makeDocument } from '@despatch/documents/make-document'
import { planDocument } from '@despatch/documents/plan-document'
import { printAddressee } from '@despatch/domain/address/printable-address'
import type { Finding } from '@despatch/domain/preflight/finding'
import { documentKey, fileKey } from '@despatch/object-store/keys'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { insertUnstoredDocuments } from '@despatch/store/print-job/unstored-documents'
import {
  aSubmission,
  insertConsumer,
  type StoredConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import type { Administration } from './an-administration.ts'

type Move = Parameters<typeof movePrintJobs>[1][number]

export const aPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const sha256Of = (bytes: Uint8Array) => hash('sha256', bytes)

/** Creates print jobs with real letters in the object store, as intake and the pipeline do. */
export async function someLetters({ db, objects, pool }: Administration) {
  const consumer: StoredConsumer = await insertConsumer(db)

  const move = (move: Move, transition: Parameters<typeof movePrintJobs>[2]) =>
    db.transaction().execute((tx) => movePrintJobs(tx, [move], transition, { actor: 'test' }))

  /** A print job in quarantine, with a picture under each of these ids. The bytes of each picture are unique. */
  async function aSubmitted(fileIds: readonly string[] = []) {
    const files = fileIds.map((fileId, index) => {
      const bytes = Buffer.concat([aPng, Buffer.from(`${fileId} ${index}`)])
      return { fileId, bytes, sha256: sha256Of(bytes) }
    })
    for (const { bytes, sha256 } of files) await objects.put(fileKey(sha256), bytes, 'image/png')
    const submission = aSubmission(consumer, {
      files: files.map(({ fileId, bytes, sha256 }) => ({
        fileId,
        sha256,
        source: 'custom-param' as const,
        bytes: bytes.length,
        mediaType: 'image/png',
      })),
    })
    await saveSubmissions(pool, [submission])
    return { key: submission.key, id: submission.id, files }
  }

  async function pin({ key }: { key: string }): Promise<void> {
    await pool.query('update print_job_file set pinned_at = now() where print_job_key = $1', [key])
    await move({ key }, 'release')
  }

  /**
   * An accepted letter of its address page only. These files are stored beside it. `isUnstored`: its document is in the
   * database.
   */
  async function aLetter(fileIds: readonly string[] = [], { isUnstored = false } = {}) {
    const job = await aSubmitted(fileIds)
    const printed = printAddressee(someStandardParams)
    const { printableAddress } = printed
    // its document has bytes of its own, because all suites use one bucket, and some remove or replace documents
    const documentId = `D${randomInt(10 ** 12)}`
    const terms = {
      ...({ production: 'letter', plex: 'duplex', ruleSet: 'standard-2026-11' } as const),
      suppliedFileKey: null,
      printsHandlingInstruction: true,
      pagesMax: 10,
      marks: true,
      ...({ addressPlacement: 'own-page', documentId, submittedAt: new Date() } as const),
      strict: false,
      refusedRules: [],
      standardParams: someStandardParams,
    }
    const { document } = await makeDocument(planDocument(terms, printed, []))
    const { pdf, sha256, pages, sheets } = document!
    if (!isUnstored) await objects.put(documentKey(sha256), pdf, 'application/pdf')
    await pin(job)
    const made = {
      printableAddress,
      documentSha256: sha256,
      documentBytes: pdf.length,
      documentPages: pages,
      documentSheets: sheets,
    }
    await move({ key: job.key, made }, 'accept')
    if (isUnstored) {
      const document = { sha256, pdf }
      await db.transaction().execute((tx) => insertUnstoredDocuments(tx, [document]))
    }
    return { ...job, pages, document: { pdf: Buffer.from(pdf), sha256 } }
  }

  /** A print job rejected for these findings. */
  async function aRejected(findings: readonly Finding[], fileIds: readonly string[] = []) {
    const job = await aSubmitted(fileIds)
    await pin(job)
    await move({ key: job.key, comment: findings[0]!.detail, findings }, 'reject')
    return job
  }

  return { consumer, aSubmitted, aLetter, aRejected, move }
}
