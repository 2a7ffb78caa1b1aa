import type { PrintJobNote } from '@despatch/domain/print-job/note'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { HistoryDocument, PrintHistory } from '../facts/print-history.ts'
import { applyRules, type Finding, type Found } from './finding.ts'

export type Rule = (typeof rules)[number]['rule']

/**
 * Checks what the database says at the end against what the factories printed. Pure: the same history gives the same
 * findings. An empty list means that nothing was lost and nothing was printed twice.
 */
export function checkPrintHistory(history: PrintHistory): Finding<Rule>[] {
  return applyRules(rules, history)
}

const rules = [
  { rule: 'every letter comes to its end', check: findUnfinished },
  { rule: 'every claimed run is closed or voided', check: findUnclosed },
  { rule: 'a closed run accounts for each of its documents once', check: findUnbalanced },
  { rule: 'a letter stays in its run until somebody takes it out', check: findWandering },
  { rule: 'an attempt is printed once', check: findPrintedTwice },
  { rule: 'a further attempt was authorised', check: findUnauthorised },
  { rule: 'what is printed was claimed, with these bytes', check: findUnclaimed },
  { rule: 'what is despatched was printed', check: findUnprinted },
  { rule: 'what was deleted is never printed', check: findDeletedPrinted },
  { rule: 'a despatched letter is in one confirmed posting', check: findWronglyPosted },
] as const

function findUnfinished({ printJobs }: PrintHistory): Found[] {
  return printJobs
    .filter(({ isDeleted, status }) => !isDeleted && !isEnd(status))
    .map(({ key, status }) => [key, `is ${status}`])
}

function findUnclosed({ runs }: PrintHistory): Found[] {
  return runs
    .filter(({ isClaimed, state }) => isClaimed && state !== 'CLOSED' && state !== 'VOIDED')
    .map(({ batchNumber, state }) => [batchNumber, `is ${state}`])
}

function findUnbalanced({ runs, documents, printJobs }: PrintHistory): Found[] {
  const closed = new Set(
    runs
      .filter(({ isClaimed, state }) => isClaimed && state === 'CLOSED')
      .map(({ batchNumber }) => batchNumber),
  )
  const statuses = new Map(printJobs.map(({ key, status }) => [key, status]))
  const live = documents.filter(({ isLive }) => isLive)
  const runsOf = Map.groupBy(live, ({ key }) => key)
  const inSeveral = [...runsOf]
    .filter(([, rows]) => rows.length > 1)
    .map(([key, rows]): Found => [key, `is in ${rows.length} runs at once`])
  const unaccounted = live
    .filter(({ batchNumber }) => closed.has(batchNumber))
    .filter(({ key, outcome }) => statuses.get(key) !== statusOf(outcome))
    .map(({ documentId, key, outcome }): Found => {
      return [documentId, `has the outcome ${outcome}, and its letter is ${statuses.get(key)}`]
    })
  return [...inSeveral, ...unaccounted]
}

/** The transitions in a timeline that take a letter out of its run. */
const leaves: ReadonlySet<string> = new Set<PrintJobNote | 'delete'>([
  'delete',
  'hold',
  'move-run',
  'override-address',
])

function findWandering({ documents, printJobs }: PrintHistory): Found[] {
  const takenOut = new Set(
    printJobs
      .filter(({ timeline }) => timeline.some(({ transition }) => leaves.has(transition)))
      .map(({ key }) => key),
  )
  return documents
    .filter(({ isLive, key }) => !isLive && !takenOut.has(key))
    .map(({ key, batchNumber }) => [key, `left run ${batchNumber}`])
}

function findPrintedTwice({ printLog }: PrintHistory): Found[] {
  const copies = Map.groupBy(printLog, attemptOf)
  return [...copies]
    .filter(([, lines]) => lines.length > 1)
    .map(([subject, lines]) => [subject, `was printed ${lines.length} times`])
}

/** The first attempt of a reassigned run is a further attempt at the document. The reassignment authorises it. */
function findUnauthorised({ printLog, reprints, documents }: PrintHistory): Found[] {
  const authorised = new Set([
    ...reprints.filter(({ state }) => state === 'AUTHORISED').map(placeOf),
    ...documents.map(({ firstAttempt, ...document }) =>
      placeOf({ ...document, attempt: firstAttempt }),
    ),
  ])
  return printLog
    .filter((line) => !authorised.has(placeOf(line)))
    .map((line) => [attemptOf(line), `nobody authorised it in run ${line.batchNumber}`])
}

function findUnclaimed({ printLog, documents, runs }: PrintHistory): Found[] {
  const providers = new Map(runs.map(({ batchNumber, providerId }) => [batchNumber, providerId]))
  const rows = new Map(documents.map((document) => [documentPlace(document), document]))
  return printLog.flatMap((line): Found[] => {
    const document = rows.get(documentPlace(line))
    const { batchNumber } = line
    if (!document) return [[attemptOf(line), `is not in run ${batchNumber}`]]
    if (document.sha256 !== line.sha256) return [[attemptOf(line), 'was printed from other bytes']]
    if (providers.get(batchNumber) === line.providerId) return []
    return [[attemptOf(line), `run ${batchNumber} is not that of ${line.providerId}`]]
  })
}

function findUnprinted({ documents, printLog }: PrintHistory): Found[] {
  const printed = new Set(printLog.map(placeOf))
  return documents
    .filter(({ outcome }) => outcome === 'DESPATCHED')
    .filter((document) => !printed.has(placeOf(document)))
    .map((document) => [attemptOf(document), 'is not in the print log'])
}

function findDeletedPrinted({ printJobs, documents, printLog }: PrintHistory): Found[] {
  const deleted = new Set(printJobs.filter(({ isDeleted }) => isDeleted).map(({ key }) => key))
  const keys = new Map(documents.map((document) => [documentPlace(document), document.key]))
  const printed = printLog
    .map((line) => ({ line, key: keys.get(documentPlace(line)) ?? '' }))
    .filter(({ key }) => deleted.has(key))
    .map(({ line, key }): Found => [key, `was printed in run ${line.batchNumber}`])
  const held = documents
    .filter(({ isLive, key }) => isLive && deleted.has(key))
    .map(({ key, batchNumber }): Found => [key, `is still in run ${batchNumber}`])
  return [...printed, ...held]
}

function findWronglyPosted({ printJobs, documents, postings }: PrintHistory): Found[] {
  const isConfirmed = new Set(
    postings.filter(({ confirmedCount }) => confirmedCount !== null).map(({ id }) => id),
  )
  const isPosted = ({ postingId }: HistoryDocument) =>
    postingId !== null && isConfirmed.has(postingId)
  const posted = Map.groupBy(
    documents.filter((document) => document.outcome === 'DESPATCHED' && isPosted(document)),
    ({ key }) => key,
  )
  const letters = printJobs.flatMap(({ key, status }): Found[] => {
    const times = posted.get(key)?.length ?? 0
    if (times === (status === 'DESPATCHED' ? 1 : 0)) return []
    return [[key, `is ${status} and in ${times} confirmed postings`]]
  })
  const covered = Map.groupBy(documents, ({ postingId }) => postingId)
  const counts = postings.flatMap(({ id, confirmedCount }): Found[] => {
    const count = covered.get(id)?.length ?? 0
    if (confirmedCount === null || confirmedCount === count) return []
    return [[id, `has confirmed ${confirmedCount} documents and covers ${count}`]]
  })
  return [...letters, ...counts]
}

function isEnd(status: PrintJobStatus): boolean {
  return status === 'DESPATCHED' || status === 'REJECTED'
}

function statusOf(outcome: HistoryDocument['outcome']): PrintJobStatus | undefined {
  if (outcome === null) return undefined
  return outcome === 'DESPATCHED' ? 'DESPATCHED' : 'REJECTED'
}

type Attempt = { batchNumber: string; documentId: string; attempt: number }

/** Leaves out the batch number: an attempt at a document has one number in all runs, and may be printed only once. */
function attemptOf({ documentId, attempt }: Omit<Attempt, 'batchNumber'>): string {
  return `${documentId} attempt ${attempt}`
}

function placeOf({ batchNumber, documentId, attempt }: Attempt): string {
  return `${batchNumber} ${documentId} ${attempt}`
}

function documentPlace({ batchNumber, documentId }: Omit<Attempt, 'attempt'>): string {
  return `${batchNumber} ${documentId}`
}
