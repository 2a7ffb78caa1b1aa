import { type GivenNumbers, guardNumbers } from './guard-numbers.ts'
import { holdPrintedLetter, holdThem } from './hold-printed.ts'
import { isKnown, judgePrinted, type PrintedVerdict } from './judge-printed.ts'
import { listPrintedLetters, listPrintings, type PrintedDocument } from './printed-letters.ts'
import { readPrintLog } from './read-print-log.ts'
import { pageMax, type Reconciliation, type ReconciliationItem } from './reconciliation.ts'

type Seen = { last: GivenNumbers; runs: Set<string> }

/**
 * Compares what providers have printed with what the database knows. Documents unknown to the database would be printed
 * again, and their numbers assigned twice. With a reason it holds the letters and advances the numbers.
 */
export async function* listPrintedDocuments(
  reconciliation: Reconciliation,
): AsyncGenerator<ReconciliationItem> {
  const { printLogs } = reconciliation
  if (printLogs.length === 0) return
  const seen: Seen = { last: { printRun: 0, document: 0 }, runs: new Set() }
  for (const path of printLogs) {
    let page: PrintedDocument[] = []
    for await (const line of readPrintLog(path)) {
      if (line.kind === 'unreadable') yield unreadable(path, line.number)
      if (line.kind === 'run') note(seen, { batchNumber: line.batchNumber })
      if (line.kind !== 'document') continue
      note(seen, line.document)
      page.push(line.document)
      if (page.length < pageMax) continue
      yield* comparePage(reconciliation, page, seen)
      page = []
    }
    yield* comparePage(reconciliation, page, seen)
  }
  yield* guardNumbers(reconciliation, seen.last)
}

function note({ last }: Seen, { batchNumber, documentId = 'D0' }: Partial<PrintedDocument>): void {
  last.printRun = Math.max(last.printRun, Number(batchNumber!.slice(1)))
  last.document = Math.max(last.document, Number(documentId.slice(1)))
}

async function* comparePage(
  reconciliation: Reconciliation,
  page: readonly PrintedDocument[],
  seen: Seen,
): AsyncGenerator<ReconciliationItem> {
  const { db } = reconciliation
  const known = await listPrintings(db, page)
  const doubtful = page
    .map((document, index) => ({ document, known: known[index]! }))
    .filter(({ document, known }) => !isKnown(document, known))
  const letters = await listPrintedLetters(
    db,
    doubtful.map(({ document }) => document),
  )
  for (const [index, { document, known }] of doubtful.entries()) {
    if (!known.isRunClaimed && !seen.runs.has(document.batchNumber)) {
      seen.runs.add(document.batchNumber)
      yield unclaimedRun(document.batchNumber, known.isRunKnown)
    }
    const verdict = judgePrinted(document, known, letters[index]!)
    yield await actOn(reconciliation, document, verdict)
  }
}

function unclaimedRun(batchNumber: string, isRunKnown: boolean): ReconciliationItem {
  return {
    severity: 'note',
    kind: isRunKnown ? 'run-unclaimed' : 'run-unknown',
    about: { batchNumber },
    found: isRunKnown
      ? 'the provider has claimed the print run, but the database does not know this'
      : 'the provider has a print run that the database does not know',
    remedy: 'inform the provider; the remedy of each document is listed separately',
  }
}

async function actOn(
  { db, holdReason: reason }: Reconciliation,
  { documentId, batchNumber, attempt }: PrintedDocument,
  verdict: PrintedVerdict,
): Promise<ReconciliationItem> {
  const document = { documentId, batchNumber, attempt }
  if (!('letter' in verdict)) {
    return { severity: 'missing', about: document, ...withoutLetter[verdict.kind as 'unknown'] }
  }
  const { printJobKey, printJobId, consumer, status } = verdict.letter
  const about = { ...document, printJobKey, printJobId, consumer, status }
  const isToBeHeld = verdict.kind === 'hold' || (verdict.kind === 'reused' && isHoldable(status))
  if (isToBeHeld && reason !== undefined) {
    const outcome = await holdPrintedLetter(db, printJobKey, reason)
    if (outcome === 'held') {
      return {
        severity: 'done',
        kind: 'letter-held',
        about,
        found: 'the letter was printed and is now held',
      }
    }
    const found = `the letter was printed and could not be held: ${outcome.whyNot}`
    return { severity: 'missing', kind: 'printed-unclaimed', about, found }
  }
  return { about, ...withLetter[verdict.kind](printJobKey) }
}

const afterHold = (printJobKey: string) =>
  `ask its provider: npx despatch jobs release ${printJobKey} if it will report the document without printing it again, otherwise jobs cancel`

const withoutLetter = {
  beyond: {
    kind: 'attempt-unknown',
    found: 'the provider has printed an attempt that this database has not authorised',
    remedy: 'authorise the reprint again: the provider prints an attempt once, and reports it',
  },
  unknown: {
    kind: 'printed-unknown',
    found: 'no letter of the database matches this document',
    remedy: 'ask the provider for its addressee; the consumer must not submit it again',
  },
} as const

const withLetter: Record<
  Exclude<PrintedVerdict['kind'], 'known' | 'beyond' | 'unknown'>,
  (printJobKey: string) => Omit<ReconciliationItem, 'about'>
> = {
  hold: () => ({
    severity: 'missing',
    kind: 'printed-unclaimed',
    found: 'the letter was printed and would be printed again',
    remedy: holdThem,
  }),
  held: (printJobKey) => ({
    severity: 'note',
    kind: 'printed-held',
    found: 'the letter was printed and is held by an operator',
    remedy: afterHold(printJobKey),
  }),
  reused: (printJobKey) => ({
    severity: 'missing',
    kind: 'number-reused',
    found: 'the provider has printed other bytes with the number of this letter',
    remedy: `${holdThem}. Then npx despatch jobs cancel ${printJobKey}, and ask the consumer to submit it again with another id unless it is the letter that was printed`,
  }),
  producing: () => ({
    severity: 'missing',
    kind: 'printed-elsewhere',
    found: 'the letter is in production in another print run',
    remedy:
      'unless its provider records the document as printed, npx despatch runs recall <that print run> <its document> --reason "printed before"',
  }),
  ended: () => ({
    severity: 'note',
    kind: 'printed-ended',
    found: 'the letter has ended in this database, and was printed in an unknown print run',
    remedy: 'inform its consumer that it was printed',
  }),
}

function isHoldable(status: string): boolean {
  return ['QUARANTINE', 'VALIDATING', 'PENDING'].includes(status)
}

function unreadable(file: string, line: number): ReconciliationItem {
  return {
    severity: 'missing',
    kind: 'line-unreadable',
    about: { file, line },
    found: 'the line does not name a document',
    remedy: 'ask the provider which document it was, and correct the line',
  }
}
