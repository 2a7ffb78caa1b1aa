import * as letterOperations from '@despatch/contracts/administration/letter-operations'
import * as printJobOperations from '@despatch/contracts/administration/print-job-operations'
import { proofPageNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import { drawLetter, drawPage, inlineHeaders } from '@despatch/letters/draw-letter'
import type { Db } from '@despatch/store/database'
import { actOnPrintJobByKey, printJobActs } from '../print-job/acts.ts'
import { getPrintJobDetails } from '../print-job/details.ts'
import {
  drawLetterForOperator,
  type OperatorDrawContext,
} from '../print-job/draw-letter-for-operator.ts'

/** GET /print-jobs/{printJobKey}: returns a print job with its timeline, files, callbacks and possible actions. */
export function getPrintJobByKey(api: Api, { db }: { db: Db }): void {
  api.route({
    ...printJobOperations.getPrintJobByKey,
    handler: async ({ params }) => getPrintJobDetails(db, params.printJobKey),
  })
}

/** GET /print-jobs/{printJobKey}/proof.pdf: returns the letter as a PDF with its findings drawn in. */
export function getProofByKey(api: Api, context: OperatorDrawContext): void {
  api.route({
    ...letterOperations.getProofByKey,
    // HEAD would draw the letter without sending it
    exposeHeadRoute: false,
    handler: async ({ params: { printJobKey }, caller }, reply) => {
      const pdf = await drawLetterForOperator(context.db, { printJobKey, caller }, (source) =>
        drawLetter(context, { source, by: { consumerId: caller.consumerId, reply } }),
      )
      return reply.headers(inlineHeaders('application/pdf')).send(Buffer.from(pdf))
    },
  })
}

/** GET /print-jobs/{printJobKey}/proof/{page}.png: returns one page of a letter as a picture. */
export function getProofPageByKey(api: Api, context: OperatorDrawContext): void {
  api.route({
    ...letterOperations.getProofPageByKey,
    exposeHeadRoute: false,
    handler: async ({ params: { printJobKey, page }, caller }, reply) => {
      const png = await drawLetterForOperator(context.db, { printJobKey, caller }, (source) =>
        drawPage(context, { source, page, by: { consumerId: caller.consumerId, reply } }),
      )
      if (!png) throw proofPageNotFound(printJobKey, page)
      return reply.headers(inlineHeaders('image/png')).send(Buffer.from(png))
    },
  })
}

/** POST /print-jobs/{printJobKey}/hold: no print run takes the print job until it is released. */
export function holdPrintJobByKey(api: Api, { db }: { db: Db }): void {
  api.route({
    ...printJobOperations.holdPrintJobByKey,
    handler: async (request) => actOnPrintJobByKey(db, request, printJobActs.hold),
  })
}

/**
 * POST /print-jobs/{printJobKey}/release: ends a print job's hold, whether a consumer, a contract or an operator set
 * it.
 */
export function releasePrintJobByKey(api: Api, { db }: { db: Db }): void {
  api.route({
    ...printJobOperations.releasePrintJobByKey,
    handler: async (request) => actOnPrintJobByKey(db, request, printJobActs.release),
  })
}

/** POST /print-jobs/{printJobKey}/cancel: deletes a print job on behalf of its consumer. */
export function cancelPrintJob(api: Api, { db }: { db: Db }): void {
  api.route({
    ...printJobOperations.cancelPrintJob,
    handler: async (request) => actOnPrintJobByKey(db, request, printJobActs.cancel),
  })
}

/** POST /print-jobs/{printJobKey}/redrive: retries a parked print job at once. */
export function redrivePrintJob(api: Api, { db }: { db: Db }): void {
  api.route({
    ...printJobOperations.redrivePrintJob,
    handler: async (request) => actOnPrintJobByKey(db, request, printJobActs.redrive),
  })
}
