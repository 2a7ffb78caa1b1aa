import type { PrintRun } from './collect-documents.ts'
import type { LetterProgress } from './letter-progress.ts'
import { sum } from './sum.ts'
import type { PrintedAttempt } from './users/print-factory.ts'

/**
 * Returns where the reconciliations of the print runs, the factory's own log and the consumer's view disagree, one line
 * per problem.
 */
export function findProductionFaults(
  letters: readonly LetterProgress[],
  printRuns: readonly PrintRun[],
  printLog: readonly PrintedAttempt[],
): string[] {
  return [
    ...printRuns.flatMap(faultsOfReconciliation),
    ...printRuns.flatMap(faultsOfPrintStream),
    ...faultsOfPrintLog(printLog),
    ...letters.flatMap((progress) => faultsOfAttempts(progress, printLog)),
    ...letters.flatMap((progress) => faultsOfReprint(progress)),
    ...letters.flatMap((progress) => faultsOfPlan(progress, printRuns)),
  ]
}

function faultsOfReconciliation({ manifest, account }: PrintRun): string[] {
  const name = `print run ${manifest.batchNumber}`
  const { state, expected, despatched, refused, failed, recalled, missing } = account
  const faults: string[] = []
  if (state !== 'CLOSED') faults.push(`${name} is ${state} and not CLOSED`)
  if (missing !== 0) faults.push(`${name} misses ${missing} documents`)
  if (expected !== sum([despatched, refused, failed, recalled, missing])) {
    faults.push(`the account of ${name} does not add up to the ${expected} expected`)
  }
  const { documentCount } = manifest.totals
  if (expected !== documentCount) {
    faults.push(
      `the account of ${name} expects ${expected} documents, its manifest ${documentCount}`,
    )
  }
  return faults
}

function faultsOfPrintStream({ manifest, printStream }: PrintRun): string[] {
  const { fulfilmentJobId, pages, sheetsOfManifest } = printStream
  if (manifest.plex === 'simplex' || pages === 2 * sheetsOfManifest) return []
  return [`the print stream of ${fulfilmentJobId} has ${pages} pages on ${sheetsOfManifest} sheets`]
}

function faultsOfPrintLog(printLog: readonly PrintedAttempt[]): string[] {
  const lines = printLog.map(({ documentId, attempt }) => `attempt ${attempt} of ${documentId}`)
  const repeated = new Set(lines.filter((line, index) => lines.indexOf(line) !== index))
  return [...repeated].map((line) => `${line} was printed more than once`)
}

function faultsOfAttempts(
  { letter, job }: LetterProgress,
  printLog: readonly PrintedAttempt[],
): string[] {
  const { number, expected } = letter
  const printed = printLog
    .filter(({ documentId }) => documentId === job?.documentId)
    .map(({ attempt }) => attempt)
  const attempts = expected.status === 'DESPATCHED' ? expected.attempt : 0
  const wanted = Array.from({ length: attempts }, (_, index) => index + 1)
  if (printed.join() === wanted.join()) return []
  return [`letter ${number} was printed as attempts ${printed.join(', ') || 'none'}`]
}

function faultsOfReprint({ letter, events }: LetterProgress): string[] {
  const { number, expected } = letter
  const isReprinted = expected.status === 'DESPATCHED' && expected.attempt > 1
  const wanted = isReprinted ? ['spoil', 'reprint'] : []
  const reported = events
    .map(({ transition }) => transition)
    .filter((transition) => transition === 'spoil' || transition === 'reprint')
  if (reported.join() === wanted.join()) return []
  return [`the timeline of letter ${number} has ${reported.join(', ') || 'no reprint'}`]
}

function faultsOfPlan({ letter, job }: LetterProgress, printRuns: readonly PrintRun[]): string[] {
  if (job?.status !== 'DESPATCHED') return []
  const { expectedDespatchDate: reported } = job
  const run = printRuns.find(({ manifest }) => manifest.batchNumber === job.batchNumber)
  const planned = run?.manifest.expectedDespatchDate
  if (reported !== undefined && reported === planned) return []
  return [`letter ${letter.number} has the despatch date ${reported}, its manifest ${planned}`]
}
