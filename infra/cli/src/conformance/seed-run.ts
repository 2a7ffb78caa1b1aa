import { hash, randomUUID } from 'node:crypto'
import { documentKey } from '@despatch/object-store/keys'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { type Submission, saveSubmissions } from '@despatch/store/print-job/submissions'
import { gatherPrintRuns } from '@despatch/store/print-run/gather'
import { releasePrintRun } from '@despatch/store/print-run/release'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import { type Platform, providerId } from './platform.ts'

/** A print run that the kit has released. */
export type SeededRun = {
  batchNumber: string
  /** In the order of the run. */
  documents: SeededDocument[]
}

type SeededDocument = {
  documentId: string
  printJobId: string
  file: Uint8Array
  /** Withdrawn before the claim, so it is in no manifest. */
  isWithdrawn: boolean
}

const a4 = [595.28, 841.89] as const
const release = { leaseSeconds: 60, msMax: 60_000 }
const actor = 'conformance'

/** Releases a run of real letters of one to three pages, in duplex. Further reprints wait for an operator. */
export async function seedRun(
  { database, objects, sender }: Platform,
  { documentCount, reprintsFreeMax }: { documentCount: number; reprintsFreeMax: number },
): Promise<SeededRun> {
  const { db, pool } = database
  const letters = await Promise.all(
    Array.from({ length: documentCount }, (_, index) => makeLetter(1 + ((index + 1) % 3))),
  )
  await Promise.all(
    letters.map(({ file, hash }) => objects.put(documentKey(hash), file, 'application/pdf')),
  )
  const submissions = letters.map(({ key }) => submissionOf(sender, key))
  await saveSubmissions(pool, submissions)
  await db.transaction().execute(async (tx) => {
    const moves = letters.map(({ key, file, pages, hash }) => ({
      key,
      made: {
        printableAddress: {
          line1: '1 High Street',
          recipientLine1: 'A',
          recipientLine2: '',
          dps: null,
        },
        documentSha256: hash,
        documentBytes: file.byteLength,
        documentPages: pages,
        documentSheets: Math.ceil(pages / 2),
      },
    }))
    await movePrintJobs(
      tx,
      moves.map(({ key }) => ({ key })),
      'release',
      { actor },
    )
    await movePrintJobs(tx, moves, 'accept', { actor })
  })
  await pool.query(
    `update print_site set reprints_free_max = $1, reprints_free_percent = 0 where provider_id = $2`,
    [reprintsFreeMax, providerId],
  )
  const limits = { documentsMax: documentCount, jobsMax: documentCount + 1, runAgeMs: 0 }
  const gather = () => db.transaction().execute((tx) => gatherPrintRuns(tx, limits))
  let gathered = await gather()
  // A pass need not read every letter.
  while (gathered.due.length === 0 && gathered.isMore) gathered = await gather()
  const [batchNumber = ''] = gathered.due
  await releasePrintRun(db, { batchNumber, failures: 0 }, release)
  const { rows } = await pool.query<{ documentId: string; key: string }>(
    `select document_id as "documentId", print_job_key as key from print_run_document
     where batch_number = $1 order by sequence`,
    [batchNumber],
  )
  const files = new Map<string, Uint8Array>(letters.map(({ key, file }) => [key, file]))
  return {
    batchNumber,
    documents: rows.map(({ documentId, key }) => ({
      documentId,
      printJobId: key,
      file: files.get(key)!,
      isWithdrawn: false,
    })),
  }
}

async function makeLetter(pages: number) {
  const key = randomUUID()
  const pdf = await PDFDocument.create()
  const font = await pdf.embedFont(StandardFonts.Helvetica)
  for (let page = 1; page <= pages; page++) {
    const text = `Conformance document ${key}, page ${page} of ${pages}`
    pdf.addPage([...a4]).drawText(text, { x: 72, y: 700, size: 12, font })
  }
  const file = await pdf.save()
  return { key, pages, file, hash: hash('sha256', file) }
}

function submissionOf(sender: Platform['sender'], key: string): Submission {
  return {
    ...sender,
    key,
    id: key,
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      recipientName: 'Ms A Person',
      address: {
        unstructuredAddress: { line1: '1 High Street', line5: 'ANYTOWN', postcode: 'AB1 2CD' },
      },
    },
    producedAs: 'SECOND',
    customParams: null,
    callbackParams: null,
    callbackDestinationSealed: null,
    callbackOrigin: null,
    callbackStatuses: [],
    correlationId: key,
    idempotencyKey: null,
    requestFingerprint: '00'.repeat(32),
    notBefore: null,
    heldBy: null,
    traceContext: null,
    searchTerms: null,
    unknownMembers: null,
    template: null,
    templateLanguages: null,
    findings: null,
    files: [],
  }
}
