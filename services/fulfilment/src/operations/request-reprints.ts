import {
  printRunNotFound,
  printRunNotInProduction,
} from '@despatch/contracts/print-fulfilment/problems'
import { requestReprints as operation } from '@despatch/contracts/print-fulfilment/production-operations'
import { withContentPaths } from '@despatch/contracts/print-fulfilment/reprint'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import type { Reprint } from '@despatch/store/reprint/read'
import { type ReprintRequestOutcome, saveReprintRequests } from '@despatch/store/reprint/reprints'
import { providerOf } from '../request/provider-of.ts'

/** POST /print-runs/{batchNumber}/reprints: requests a further attempt at spoiled documents. */
export function requestReprints(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { batchNumber } = request.params
      const outcome = await saveReprintRequests(db, {
        providerId: providerOf(request.caller),
        batchNumber,
        requestedBy: request.caller.consumerId,
        documents: request.body.documents,
      })
      const reprints = requested(outcome, batchNumber)
      const waitingCount = reprints.filter(({ state }) => state === 'WAITING').length
      addToLogLine(request, { batchNumber, reprintCount: reprints.length, waitingCount })
      return { batchNumber, reprints: withContentPaths(batchNumber, reprints) }
    },
  })
}

function requested(outcome: ReprintRequestOutcome, batchNumber: string): Reprint[] {
  switch (outcome.kind) {
    case 'requested':
      return outcome.reprints
    case 'absent':
      throw printRunNotFound(batchNumber)
    case 'not-in-production':
      throw printRunNotInProduction(batchNumber)
    case 'not-possible':
      throw new Problem(
        'reprint-not-possible',
        `${outcome.documentIds.length} of the documents cannot be reprinted; nothing is authorised`,
        outcome.documentIds.map((documentId) => ({
          field: documentId,
          code: 'ReprintNotPossible',
          detail: `The current attempt at document ${documentId} of print run ${batchNumber} is not SPOILED`,
        })),
      )
  }
}
