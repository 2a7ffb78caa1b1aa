import {
  type AcknowledgementRequest,
  refusalComment,
  runRefusal,
} from '@despatch/contracts/print-fulfilment/acknowledgement'
import { acknowledgePrintRun as operation } from '@despatch/contracts/print-fulfilment/operations'
import { printRunNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { invalidFields, Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import {
  type AcknowledgedPrintRun,
  type AcknowledgementOutcome,
  saveAcknowledgement,
} from '@despatch/store/print-run/acknowledge'
import { type LetterTraces, traceLetters } from '../print-run/trace-letters.ts'
import { providerOf } from '../request/provider-of.ts'
import { hashRequest } from '../request/request-hash.ts'

/**
 * POST /print-runs/{batchNumber}/acknowledgement: the provider has received the whole list, and refuses some documents
 * or none.
 */
export function acknowledgePrintRun(api: Api, { db, tracing }: LetterTraces): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { batchNumber } = request.params
      const { refusals = [], refusal, ...counts } = request.body
      const outcome = await saveAcknowledgement(db, {
        ...counts,
        providerId: providerOf(request.caller),
        batchNumber,
        requestHash: hashRequest(request.body),
        refusals: refusals.map((refused) => ({
          documentId: refused.documentId,
          comment: refusalComment(refused),
        })),
        refusal: refusal && runRefusal(refusal),
      })
      const run = acknowledged(outcome, batchNumber, request.body)
      addToLogLine(request, { batchNumber, state: run.state, refusedCount: run.refusedCount })
      await traceLetters({ db, tracing }, request, {
        name: 'print-run.acknowledge',
        letters: { batchNumbers: [batchNumber] },
        facts: { 'despatch.print_run.batch_number': batchNumber, 'despatch.outcome': run.state },
      })
      return run
    },
  })
}

function acknowledged(
  outcome: AcknowledgementOutcome,
  batchNumber: string,
  { refusals = [] }: AcknowledgementRequest,
): AcknowledgedPrintRun {
  switch (outcome.kind) {
    case 'acknowledged':
      return outcome.run
    case 'absent':
      throw printRunNotFound(batchNumber)
    case 'not-claimed':
      throw new Problem(
        'digest-mismatch',
        `Print run ${batchNumber} has not been claimed: there is no manifest to acknowledge`,
      )
    case 'moved':
      throw new Problem(
        'print-run-not-in-production',
        `Print run ${batchNumber} was reassigned and must no longer be printed`,
      )
    case 'acknowledged-otherwise':
      throw new Problem(
        'digest-mismatch',
        `Print run ${batchNumber} was already acknowledged with other content`,
      )
    case 'mismatch':
      throw new Problem(
        'digest-mismatch',
        `${outcome.field} differs from the manifest of print run ${batchNumber}; nothing has changed`,
      )
    case 'unknown-documents':
      throw invalidFields(
        refusals.flatMap(({ documentId }, index) => {
          if (!outcome.documentIds.includes(documentId)) return []
          const field = `refusals[${index}].documentId`
          const detail = `${field} is not a document of print run ${batchNumber}`
          return [{ field, code: 'NotFound', detail }]
        }),
      )
  }
}
