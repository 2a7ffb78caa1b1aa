import { getProof as operation } from '@despatch/contracts/print-request/operations'
import type { Api } from '@despatch/http/api'
import { drawLetter, inlineHeaders } from '@despatch/letters/draw-letter'
import { drawOwnLetter, type OwnDrawContext } from '../print-job/draw-own-letter.ts'

/**
 * GET /print/jobs/{jobId}/proof.pdf: returns the letter as a PDF with its findings drawn in, also for a rejected print
 * job. An addition to the specification.
 */
export function getProof(api: Api, context: OwnDrawContext): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { jobId } = request.params
      const { consumerId } = request.caller
      const pdf = await drawOwnLetter(context.db, { consumerId, jobId }, (source) =>
        drawLetter(context, { source, by: { consumerId, reply } }),
      )
      return reply.headers(inlineHeaders('application/pdf')).send(Buffer.from(pdf))
    },
  })
}
