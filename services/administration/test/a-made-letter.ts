import { makeDocument } from '@despatch/documents/make-document'
import { letterToKeep, makeLetter } from '@despatch/letters/make-letter'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { insertUnstoredDocuments } from '@despatch/store/print-job/unstored-documents'
import { aSubmission } from '@despatch/testing/print-job-builders'
import type { SomePrintRuns } from '@despatch/testing/some-print-runs'
import { takeLetters } from '@despatch/testing/take-letters'

type Detail = Parameters<typeof aSubmission>[1]
type Move = Parameters<typeof movePrintJobs>[1][number]

/** For letters that are not made from a template. */
export const noTemplates = {
  typeset: () => Promise.reject(new Error('The letter is not made from a template')),
}

type Makers = Pick<SomePrintRuns, 'db' | 'pool' | 'consumer'> & { objects: ObjectStore }

/**
 * Inserts a PENDING print job with the number and the document that the pipeline adds. `isUnstored`: its document is in
 * the database.
 */
export async function aMadeLetter(
  { db, pool, consumer, objects }: Makers,
  detail: Detail = {},
  { isUnstored = false } = {},
) {
  const submission = aSubmission(consumer, detail)
  const { key } = submission
  await saveSubmissions(pool, [submission])
  const move = (...[move, transition]: [Move, 'release' | 'accept']) =>
    db.transaction().execute((tx) => movePrintJobs(tx, [move], transition, { actor: 'test' }))
  await move({ key }, 'release')
  const [step] = await takeLetters(db, [key])
  const effects = {
    objects,
    templates: noTemplates,
    makeDocument: (request: Parameters<typeof makeDocument>[0]) => makeDocument(request),
  }
  const { printableAddress, made } = await makeLetter(effects, step!, submission.standardParams)
  const { object, made: record } = letterToKeep(printableAddress, made.document!)
  const { documentSha256: sha256, documentPages: pages } = record
  const pdf = Buffer.from(object.bytes)
  if (!isUnstored) await objects.put(object.key, pdf, object.contentType)
  await move({ key, made: record }, 'accept')
  if (isUnstored) {
    await db.transaction().execute((tx) => insertUnstoredDocuments(tx, [{ sha256, pdf }]))
  }
  return { ...submission, documentId: step!.documentId, sha256, pdf, pages }
}
