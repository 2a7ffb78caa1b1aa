import { getProofPageByKey as operation } from '@despatch/contracts/administration/letter-operations'
import { proofPageNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import { drawPage, inlineHeaders } from '@despatch/letters/draw-letter'
import {
  drawLetterForOperator,
  type OperatorDrawContext,
} from '../print-job/draw-letter-for-operator.ts'

/** GET /print-jobs/{printJobKey}/proof/{page}.png: returns one page of a letter as a picture. */
export function getProofPageByKey(api: Api, context: OperatorDrawContext): void {
  api.route({
    ...operation,
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
