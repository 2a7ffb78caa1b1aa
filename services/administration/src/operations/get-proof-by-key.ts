import { getProofByKey as operation } from '@despatch/contracts/administration/letter-operations'
import type { Api } from '@despatch/http/api'
import { drawLetter, inlineHeaders } from '@despatch/letters/draw-letter'
import {
  drawLetterForOperator,
  type OperatorDrawContext,
} from '../print-job/draw-letter-for-operator.ts'

/** GET /print-jobs/{printJobKey}/proof.pdf: returns the letter as a PDF with its findings drawn in. */
export function getProofByKey(api: Api, context: OperatorDrawContext): void {
  api.route({
    ...operation,
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
