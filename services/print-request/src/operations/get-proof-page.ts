import { getProofPage as operation } from '@despatch/contracts/print-request/operations'
import { proofPageNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import { drawPage, inlineHeaders } from '@despatch/letters/draw-letter'
import { drawOwnLetter, type OwnDrawContext } from '../print-job/draw-own-letter.ts'

/**
 * GET /print/jobs/{jobId}/proof/{page}.png: returns one page of the proof as a picture. An addition to the
 * specification.
 */
export function getProofPage(api: Api, context: OwnDrawContext): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { jobId, page } = request.params
      const { consumerId } = request.caller
      const png = await drawOwnLetter(context.db, { consumerId, jobId }, (source) =>
        drawPage(context, { source, page, by: { consumerId, reply } }),
      )
      if (!png) throw proofPageNotFound(jobId, page)
      return reply.headers(inlineHeaders('image/png')).send(Buffer.from(png))
    },
  })
}
