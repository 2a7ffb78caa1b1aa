import { type EventRefusal, judgeItemEvent } from '@despatch/domain/print-run/document-progress'
import { type ItemEventType, isSpoiling } from '@despatch/domain/print-run/item-event'
import { takeSerialNumber } from '../serial-stock/serial-book.ts'
import {
  attemptKey,
  type EventDocument,
  type EventFacts,
  type EventReport,
  type ReportedEvent,
} from './read.ts'

export type EventVerdict =
  | { eventId: string; result: 'APPLIED' | 'RECORDED' | 'DUPLICATE' }
  | {
      eventId: string
      result: 'REFUSED'
      refusal:
        | EventRefusal
        | 'unknown-document'
        | 'event-id-reused'
        | 'serial-number-taken'
        | 'serial-number-not-in-stock'
    }
type Refusal = Extract<EventVerdict, { result: 'REFUSED' }>['refusal']

/** An accepted event, with the state of its document after the whole report. */
export type KeptEvent = {
  event: ReportedEvent
  result: 'APPLIED' | 'RECORDED'
  document: EventDocument
}

/** Judges the events in order. Updates the standings, types and serial numbers in `facts` after each event. */
export function judgeEvents(
  facts: EventFacts,
  report: EventReport,
): { verdicts: EventVerdict[]; kept: KeptEvent[] } {
  const kept: KeptEvent[] = []
  const verdicts = report.events.map((event): EventVerdict => {
    const { eventId } = event
    const known = facts.known.get(eventId)
    if (known) {
      const isRepeat =
        known.batchNumber === report.batchNumber && known.eventHash.equals(event.eventHash)
      return isRepeat ? { eventId, result: 'DUPLICATE' } : refused(eventId, 'event-id-reused')
    }
    const document = facts.documents.get(event.documentId)
    if (!document) return refused(eventId, 'unknown-document')
    const judged = judgeOne({ facts, report, event, document })
    if (judged !== 'APPLIED' && judged !== 'RECORDED') return refused(eventId, judged)
    kept.push({ event, result: judged, document })
    return { eventId, result: judged }
  })
  return { verdicts, kept }
}

function judgeOne({
  facts,
  report,
  event,
  document,
}: {
  facts: EventFacts
  report: EventReport
  event: ReportedEvent
  document: EventDocument
}): 'APPLIED' | 'RECORDED' | Refusal {
  const reported = facts.reported.get(attemptKey(event)) ?? new Set<ItemEventType>()
  const judgement = judgeItemEvent(document.standing, event, reported)
  if (judgement.kind === 'refuse') return judgement.reason
  const { documentId, attempt, serialNumber } = event
  if (serialNumber !== undefined) {
    const { providerId, batchNumber } = report
    const isLost =
      isSpoiling(event.type) ||
      [...reported].some(isSpoiling) ||
      document.standing.outcome === 'RECALLED'
    const holder = { batchNumber, documentId, attempt }
    const name = { jobType: document.jobType, serialNumber }
    const taking = { providerId, holder, as: isLost ? 'SPOILED' : 'USED' } as const
    const outcome = takeSerialNumber(facts.book, name, taking)
    if (outcome !== 'used') return `serial-number-${outcome}`
  }
  facts.reported.set(attemptKey(event), new Set([...reported, event.type]))
  document.standing = judgement.standing
  return judgement.kind === 'apply' ? 'APPLIED' : 'RECORDED'
}

function refused(eventId: string, refusal: Refusal): EventVerdict {
  return { eventId, result: 'REFUSED', refusal }
}
