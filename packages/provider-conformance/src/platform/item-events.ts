import type {
  ItemEventRequest,
  ItemEventResult,
} from '@despatch/contracts/print-fulfilment/item-event'
import { judgeItemEvent } from '@despatch/domain/print-run/document-progress'
import { Problem } from '@despatch/domain/problem'
import { fingerprintOf } from '../fingerprint.ts'
import { findDocument, type PlatformRun } from './platform-run.ts'

/** Throws a Problem unless the run was acknowledged, is not refused as a whole and is not closed. */
export function mustBeInProduction(run: PlatformRun): void {
  if (run.acknowledgement && run.acknowledgement.state !== 'REFUSED' && !run.closedAt) return
  throw new Problem(
    'print-run-not-in-production',
    `Print run ${run.batchNumber} was not acknowledged, was refused, or is closed`,
  )
}

/** Judges each event separately and saves those that are not refused. */
export function reportItemEvents(
  run: PlatformRun,
  events: readonly ItemEventRequest[],
): ItemEventResult[] {
  const isKnown = ({ eventId }: ItemEventRequest) => run.events.has(eventId)
  if (!events.every(isKnown)) mustBeInProduction(run)
  return events.map((event) => reportOne(run, event))
}

function reportOne(run: PlatformRun, event: ItemEventRequest): ItemEventResult {
  const { eventId, documentId, attempt, type } = event
  const refused = (refusal: NonNullable<ItemEventResult['refusal']>): ItemEventResult => ({
    eventId,
    result: 'REFUSED',
    refusal,
  })
  const fingerprint = fingerprintOf(event)
  const earlier = run.events.get(eventId)
  if (earlier) {
    const isRepeat = earlier.fingerprint === fingerprint
    return isRepeat ? { eventId, result: 'DUPLICATE' } : refused('event-id-reused')
  }
  const { quirks } = run
  if (quirks.eventRefusedOf === documentId) quirks.refusedEventId ??= eventId
  if (quirks.refusedEventId === eventId) return refused('already-reported')
  const document = findDocument(run, documentId)
  if (!document) return refused('unknown-document')
  const reported = [...run.events.values()]
    .filter((known) => known.documentId === documentId && known.attempt === attempt)
    .map((known) => known.type)
  const judgement = judgeItemEvent(document.standing, event, new Set(reported))
  if (judgement.kind === 'refuse') return refused(judgement.reason)
  run.events.set(eventId, { documentId, attempt, type, fingerprint })
  if (judgement.kind === 'record') return { eventId, result: 'RECORDED' }
  document.standing = judgement.standing
  // A spoiled document leaves its posting.
  if (type === 'SPOILED') delete document.postingId
  return { eventId, result: 'APPLIED' }
}
