import { getProof as operation } from '@despatch/contracts/print-request/operations'
import type { Api } from '@despatch/http/api'
import { drawLetter, shownAs } from '@despatch/letters/draw-letter'
import { type ShowContext, showLetter } from '../show-letter.ts'

/**
 * GET /print/jobs/{jobId}/proof.pdf: returns the letter as a PDF with its findings drawn in, also for a rejected print
 * job. An addition of ours.
 */
export function getProof(api: Api, context: ShowContext): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { jobId } = request.params
      const { consumerId } = request.caller
      const pdf = await showLetter(context.db, { consumerId, jobId }, (source) =>
        drawLetter(context, { source, reply }),
      )
      return reply.headers(shownAs('application/pdf')).send(Buffer.from(pdf))
    },
  })
}
