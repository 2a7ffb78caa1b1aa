import {
  failureComment,
  type ItemEventRequest,
  renderItemEvents,
} from '@despatch/contracts/print-fulfilment/item-event'
import {
  printRunNotFound,
  printRunNotInProduction,
} from '@despatch/contracts/print-fulfilment/problems'
import { reportItemEvents as operation } from '@despatch/contracts/print-fulfilment/production-operations'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { type EventReportOutcome, saveItemEvents } from '@despatch/store/item-event/item-events'
import type { EventVerdict } from '@despatch/store/item-event/judge'
import type { ReportedEvent } from '@despatch/store/item-event/read'
import { providerOf } from '../request/provider-of.ts'
import { hashRequest } from '../request/request-hash.ts'

/** POST /print-runs/{batchNumber}/events: records what happened to single documents, in any order. */
export function reportItemEvents(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { batchNumber } = request.params
      const outcome = await saveItemEvents(db, {
        providerId: providerOf(request.caller),
        batchNumber,
        events: request.body.events.map(toReported),
      })
      const verdicts = verdictsOf(outcome, batchNumber)
      addToLogLine(request, { batchNumber, ...countResults(verdicts) })
      return renderItemEvents(batchNumber, verdicts)
    },
  })
}

function toReported(event: ItemEventRequest): ReportedEvent {
  return {
    ...event,
    eventHash: hashRequest(event),
    occurredAt: new Date(event.occurredAt),
    ...(event.type === 'FAILED' && { failureComment: failureComment(event) }),
  }
}

function verdictsOf(outcome: EventReportOutcome, batchNumber: string): EventVerdict[] {
  switch (outcome.kind) {
    case 'reported':
      return outcome.verdicts
    case 'absent':
      throw printRunNotFound(batchNumber)
    case 'not-in-production':
      throw printRunNotInProduction(batchNumber)
  }
}

function countResults(verdicts: readonly EventVerdict[]) {
  const count = (result: EventVerdict['result']) =>
    verdicts.filter((verdict) => verdict.result === result).length
  return {
    appliedCount: count('APPLIED'),
    recordedCount: count('RECORDED'),
    duplicateCount: count('DUPLICATE'),
    refusedCount: count('REFUSED'),
  }
}
