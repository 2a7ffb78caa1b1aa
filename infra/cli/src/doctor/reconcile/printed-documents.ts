import {
  advanceNumbers,
  type GivenNumbers,
  readNextNumbers,
} from '@despatch/store/reconcile/given-numbers'
import { holdPrintedLetter, listUnnumberedLetters } from '@despatch/store/reconcile/hold-printed'
import {
  listPrintedLetters,
  listPrintings,
  type PrintedDocument,
} from '@despatch/store/reconcile/printed-documents'
import { isKnown, judgePrinted, type PrintedVerdict } from './judge-printed.ts'
import { readPrintLog } from './read-print-log.ts'
import { pageMax, type Reconciliation, type ReconciliationItem } from './reconciliation.ts'

/** The actor of holds from the command line, in timelines and in the audit. */
const actor = 'command-line'
/** Skips also numbers that were assigned but that no provider has seen yet. */
const marginOfNumbers: GivenNumbers = { printRun: 1_000, document: 100_000 }

type Seen = { last: GivenNumbers; unknown: number; runs: Set<string> }

/**
 * Compares what providers have printed with what the database knows. Documents unknown to the database would be printed
 * again, and their numbers assigned twice. With a reason it holds the letters and advances the numbers.
 */
export async function* listPrintedDocuments(
  reconciliation: Reconciliation,
): AsyncGenerator<ReconciliationItem> {
  const { printLogs } = reconciliation
  if (printLogs.length === 0) return
  const seen: Seen = { last: { printRun: 0, document: 0 }, unknown: 0, runs: new Set() }
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
  if (seen.unknown > 0) yield* guardUnnumbered(reconciliation, seen.unknown)
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
    if (verdict.kind === 'unknown') seen.unknown += 1
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
    const outcome = await holdPrintedLetter(db, printJobKey, { actor, reason })
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

const holdThem = 'stop the services and give --hold-printed "<reason>": it holds the letter'
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
    remedy:
      'ask the provider for its addressee; the consumer must not submit it again. --hold-printed holds the letters that may be this document',
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
      'npx despatch runs recall <that print run>, unless its provider records the document as printed',
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

/** Nothing shows whether letters without a number are among the printed ones. */
async function* guardUnnumbered(
  { db, holdReason: reason }: Reconciliation,
  unknown: number,
): AsyncGenerator<ReconciliationItem> {
  for (let after: string | undefined; ; ) {
    const keys = await listUnnumberedLetters(db, { after, limit: pageMax })
    for (const printJobKey of keys) {
      const about = { printJobKey }
      if (reason === undefined) {
        yield {
          severity: 'missing',
          kind: 'possibly-printed',
          about,
          found: `the letter may be one of ${unknown} printed documents that are not known`,
          remedy: holdThem,
        }
        continue
      }
      const outcome = await holdPrintedLetter(db, printJobKey, { actor, reason })
      yield outcome === 'held'
        ? {
            severity: 'done',
            kind: 'letter-held',
            about,
            found: 'the letter may have been printed and is now held',
          }
        : { severity: 'missing', kind: 'possibly-printed', about, found: outcome.whyNot }
    }
    if (keys.length < pageMax) return
    after = keys.at(-1)
  }
}

/** An assigned number must never be assigned to another run or document. */
async function* guardNumbers(
  { db, holdReason }: Reconciliation,
  last: GivenNumbers,
): AsyncGenerator<ReconciliationItem> {
  const next = await readNextNumbers(db)
  const isBehind = (['printRun', 'document'] as const).some((which) => next[which] <= last[which])
  const about = { lastPrintRun: last.printRun, lastDocument: last.document }
  if (holdReason !== undefined) {
    await advanceNumbers(db, {
      printRun: last.printRun + 1 + marginOfNumbers.printRun,
      document: last.document + 1 + marginOfNumbers.document,
    })
    if (isBehind) {
      const found =
        'the numbers of print runs and documents now continue after those already assigned'
      yield { severity: 'done', kind: 'numbers-advanced', about, found }
    }
    return
  }
  if (!isBehind) return
  yield {
    severity: 'missing',
    kind: 'numbers-behind',
    about: { ...about, nextPrintRun: next.printRun, nextDocument: next.document },
    found: 'numbers that the provider already has would be assigned again',
    remedy: 'stop the services and give --hold-printed "<reason>": it advances them',
  }
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
