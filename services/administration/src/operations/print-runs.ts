import * as operations from '@despatch/contracts/administration/print-run-operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listPrintRunPage } from '@despatch/store/print-run/details'
import { countReassignable } from '@despatch/store/print-run/reassign'
import { countRecallable } from '@despatch/store/recall/request'
import { getPrintRunDetails } from '../print-run/details.ts'
import { countPostable } from '../print-run/posting-on-behalf.ts'
import { listRecallPage } from '../print-run/recalls.ts'
import { unpostable, unreassignable, unrecallable } from '../print-run/refusals.ts'

/** GET /print-runs: lists the print runs of all providers, newest first. */
export function listPrintRuns(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listPrintRuns,
    handler: async ({ query }) => {
      const { state, providerId, cursor, limit } = query
      const runs = await listPrintRunPage(db, { state, providerId, before: cursor, runsMax: limit })
      return {
        printRuns: runs,
        ...cursorAfter(runs, limit, ({ batchNumber }) => batchNumber),
      }
    },
  })
}

/** GET /print-runs/{batchNumber}: returns a print run with its reconciliation. */
export function getPrintRun(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.getPrintRun,
    handler: async ({ params }) => getPrintRunDetails(db, params.batchNumber),
  })
}

/** POST /print-runs/{batchNumber}/move/count: counts the documents that a reassignment would include. */
export function countReassignment(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.countReassignment,
    handler: async ({ params: { batchNumber } }) => {
      const outcome = await countReassignable(db, batchNumber)
      if (outcome.kind !== 'counted') throw unreassignable(batchNumber, outcome)
      return { batchNumber, documentCount: outcome.documentCount }
    },
  })
}

/** POST /print-runs/{batchNumber}/recalls/count: counts the documents that a recall would include. */
export function countRecall(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.countRecall,
    handler: async ({ params: { batchNumber }, body }) => {
      const choice = { ...body, batchNumber }
      const outcome = await countRecallable(db, choice)
      if (outcome.kind !== 'counted') throw unrecallable(choice, outcome)
      return { batchNumber, documentCount: outcome.documentCount }
    },
  })
}

/** GET /recalls: lists the recalls that operators requested. */
export function listRecalls(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listRecalls,
    handler: async ({ query }) => {
      const { cursor, limit, ...chosen } = query
      const recalls = await listRecallPage(db, { ...chosen, before: cursor, recallsMax: limit })
      return {
        recalls,
        ...cursorAfter(recalls, limit, ({ recallId }) => recallId),
      }
    },
  })
}

/**
 * POST /print-runs/{batchNumber}/postings/count: counts the documents that a posting on behalf of the provider would
 * include.
 */
export function countPosting(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.countPosting,
    handler: async ({ params: { batchNumber }, body }) => {
      const choice = { ...body, batchNumber }
      const outcome = await countPostable(db, choice)
      if (outcome.kind !== 'counted') throw unpostable(choice, outcome)
      return { batchNumber, documentCount: outcome.documentCount }
    },
  })
}
