import type { ItemEvent, Manifest, ManifestDocument } from '@despatch/client/print-run'
import { decideOutcome, type PlannedOutcome } from '../floor/decide-document.ts'
import { documentsToMake, isToBePrinted } from '../floor/documents.ts'
import type { Production } from '../print-run/production.ts'
import type { RunInHand } from '../print-run/run-book.ts'

/** Prints every attempt on the floor, except recalled documents. */
export async function printDocuments(
  run: RunInHand,
  manifest: Manifest,
  production: Production,
): Promise<void> {
  let hasPrinted = false
  for (const document of documentsToMake(manifest, run.record)) {
    const latest = run.journal.latest(document.documentId)
    if (!isToBePrinted(latest) || isInOpenRecall(document, production)) continue
    await production.pace(production.signal)
    production.signal.throwIfAborted()
    await printDocument(run, { ...document, firstAttempt: document.attempt, ...latest }, production)
    hasPrinted = true
  }
  if (hasPrinted) await production.reach('after-print', run)
}

function isInOpenRecall({ documentId }: ManifestDocument, { openRecalls }: Production): boolean {
  return openRecalls().some(({ documents }) =>
    documents.some((document) => document.documentId === documentId),
  )
}

async function printDocument(
  run: RunInHand,
  document: ManifestDocument & { firstAttempt: number },
  production: Production,
): Promise<void> {
  const { batchNumber, journal, record } = run
  const { printLog, settings, clock, onEvent } = production
  const { documentId, attempt, firstAttempt, sha256, sheets } = document
  const order = record.orders?.[documentId] ?? { outcome: 'print' }
  const outcome = decideOutcome(document, order, settings)
  const event = { documentId, attempt, occurredAt: clock().toISOString() }
  if (outcome.kind === 'fail') {
    const { reasonCode, reason } = outcome
    await journal.note({ ...event, type: 'FAILED', reasonCode, reason })
    onEvent({ kind: 'failed', batchNumber, documentId, reasonCode })
    return
  }
  const result = await printLog.print({ documentId, attempt, batchNumber, sha256 })
  if (result === 'printed') {
    const printed = { batchNumber, documentId, sheets }
    const isFirst = attempt === firstAttempt
    onEvent(isFirst ? { kind: 'printed', ...printed } : { kind: 'reprinted', attempt, ...printed })
  }
  // The document was printed now or before a crash. Its events are added now.
  await journal.note(...eventsOf(outcome, { ...event, ...printLog.find(document) }))
  if (outcome.kind !== 'spoil') return
  const { reasonCode, reason } = outcome
  onEvent({ kind: 'spoiled', batchNumber, documentId, attempt, reasonCode, reason })
}

type PrintedEvent = Pick<ItemEvent, 'documentId' | 'attempt' | 'occurredAt' | 'serialNumber'>

function eventsOf(
  outcome: Exclude<PlannedOutcome, { kind: 'fail' }>,
  { serialNumber, ...event }: PrintedEvent,
): Omit<ItemEvent, 'eventId'>[] {
  const onStock = { ...event, ...(serialNumber && { serialNumber }) }
  const printed = { ...onStock, type: 'PRINTED' } as const
  if (outcome.kind === 'spoil') {
    const { reasonCode, reason } = outcome
    return [printed, { ...onStock, type: 'SPOILED', reasonCode, reason }]
  }
  const enclosed = { ...event, type: 'ENCLOSED' } as const
  if (!outcome.diversion) return [printed, enclosed]
  return [printed, { ...event, type: 'DIVERTED', ...outcome.diversion }, enclosed]
}
