import type { CallbackEnvelope } from '@despatch/contracts/callback/envelope'
import type { CollectedDocument, PrintRun } from './collect-documents.ts'
import { type LetterProgress, statusesOf, statusOf } from './letter-progress.ts'
import type { ExpectedEnd } from './letters/sample-letters.ts'
import { sum } from './sum.ts'

const timelines = {
  despatched: 'QUARANTINE VALIDATING PENDING PRODUCTION DESPATCHED',
  checks: 'QUARANTINE VALIDATING REJECTED',
  provider: 'QUARANTINE VALIDATING PENDING PRODUCTION REJECTED',
} as const

/** Returns what went wrong, one line per problem. */
export function findFaults(
  letters: readonly LetterProgress[],
  printRuns: readonly PrintRun[],
): string[] {
  const documents = printRuns.flatMap((printRun) => printRun.documents)
  return [
    ...letters.flatMap((progress) => faultsOfLetter(progress, documents)),
    ...printRuns.flatMap(faultsOfPrintRun),
  ]
}

function faultsOfLetter(
  progress: LetterProgress,
  documents: readonly CollectedDocument[],
): string[] {
  const { letter, callbacks, job } = progress
  const { expected, id } = letter
  const name = `letter ${letter.number}`
  const status = statusOf(progress)
  if (status !== expected.status) {
    const reason = job?.comment ? ` (${job.comment})` : ''
    return [`${name} is ${status ?? 'not posted'}${reason} and not ${expected.status}`]
  }
  const faults: string[] = []
  const timeline = statusesOf(progress).join(' ')
  if (timeline !== timelineOf(expected)) faults.push(`${name} went through ${timeline}`)
  if (job?.status !== status)
    faults.push(`${name} reads as ${job?.status}, its timeline as ${status}`)
  if (callbacks.length !== 1) faults.push(`${name} had ${callbacks.length} callbacks instead of 1`)
  for (const { data } of callbacks) {
    if (data.jobId !== id || data.jobStatus !== status) {
      faults.push(`a callback of ${name} says ${data.jobStatus} of ${data.jobId}`)
    }
  }
  if (expected.status === 'REJECTED') {
    if (!job?.comment?.includes(expected.commentIncludes)) {
      faults.push(`${name} was rejected for another reason: ${job?.comment ?? 'none given'}`)
    }
    return faults
  }
  const document = documents.find(({ documentId }) => documentId === job?.documentId)
  if (!document) return [...faults, `${name} is in no manifest`]
  if (document.pages !== expected.pages) {
    faults.push(`${name} has ${document.pages} pages instead of ${expected.pages}`)
  }
  const sheetsReported = callbacks.map(totalSheets)
  if (sheetsReported.some((sheets) => sheets !== String(document.sheets))) {
    faults.push(
      `the callback of ${name} reports ${sheetsReported} sheets, its manifest ${document.sheets}`,
    )
  }
  return faults
}

function timelineOf(expected: ExpectedEnd): string {
  return timelines[expected.status === 'REJECTED' ? expected.by : 'despatched']
}

function totalSheets({ data }: CallbackEnvelope): string | undefined {
  return data.despatchProperties?.find(({ key }) => key === 'totalSheets')?.value
}

function faultsOfPrintRun({ manifest, documents }: PrintRun): string[] {
  const name = `print run ${manifest.batchNumber}`
  const counted = {
    documentCount: documents.length,
    sheetCount: sum(documents.map(({ sheets }) => sheets)),
    pageCount: sum(documents.map(({ pagesFound }) => pagesFound)),
    byteCount: sum(documents.map(({ pdf }) => pdf.length)),
  }
  const faults = documents
    .filter(({ isPdf, pages, pagesFound }) => !isPdf || pages !== pagesFound)
    .map(({ documentId, pages }) => `document ${documentId} is not a PDF of ${pages} pages`)
  for (const [total, found] of Object.entries(counted)) {
    const reported = manifest.totals[total as keyof typeof counted]
    if (reported !== found)
      faults.push(`the manifest of ${name} has ${total} ${reported}, fetched: ${found}`)
  }
  return faults
}
