import { printRunUnaccounted } from '@despatch/contracts/print-fulfilment/print-run-unaccounted'
import { printRunNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { closePrintRun as operation } from '@despatch/contracts/print-fulfilment/production-operations'
import { renderCounts } from '@despatch/contracts/print-fulfilment/reconciliation'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { saveClose } from '@despatch/store/print-run/close'
import type { UnaccountedDocument } from '@despatch/store/print-run/unaccounted'
import { providerOf } from '../request/provider-of.ts'

/**
 * POST /print-runs/{batchNumber}/close: closes a run with no unaccounted documents. The provider reports nothing more
 * about it.
 */
export function closePrintRun(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { batchNumber } = request.params
      addToLogLine(request, { batchNumber })
      const outcome = await saveClose(db, {
        providerId: providerOf(request.caller),
        batchNumber,
      })
      switch (outcome.kind) {
        case 'closed':
          return {
            batchNumber,
            state: 'CLOSED' as const,
            ...renderCounts(outcome.account),
            closedAt: outcome.closedAt,
          }
        case 'absent':
          throw printRunNotFound(batchNumber)
        case 'not-in-production':
          throw new Problem(
            'print-run-not-in-production',
            `Print run ${batchNumber} is ${outcome.state}: only an acknowledged print run can be closed`,
          )
        case 'unaccounted':
          throw printRunUnaccounted(batchNumber, outcome, describeUnaccounted)
      }
    },
  })
}

/** Describes the progress of the document, and what the provider can do about it. */
function describeUnaccounted(document: UnaccountedDocument): string {
  const { documentId, attempt, progress, postingId, isReprintWaiting } = document
  const subject = `Attempt ${attempt} at document ${documentId}`
  if (isReprintWaiting) return `${subject} is SPOILED: an operator must decide on its reprint`
  if (progress === 'SPOILED') return `${subject} is SPOILED: request a reprint or report it FAILED`
  if (postingId) return `${subject} is in posting ${postingId}: confirm the posting`
  const reported = progress ? `was reported as ${progress}` : 'has not been reported on'
  return `${subject} ${reported}: post it or report it FAILED`
}
