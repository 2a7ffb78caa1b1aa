import { getProofPage as operation } from '@despatch/contracts/print-request/operations'
import { proofPageNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import { type ShowContext, showLetter, shownAs } from '../show-letter.ts'

const pageNumber = /^[1-9][0-9]{0,4}$/

/** GET /print/jobs/{jobId}/proof/{page}.png: one page of the proof, as a picture. An addition of ours. */
export function getProofPage(api: Api, context: ShowContext): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { jobId, page } = request.params
      const { consumerId } = request.caller
      const asked = { consumerId, jobId, reply }
      const png = await showLetter(context, asked, async (letter) =>
        pageNumber.test(page) ? context.composers.letterProofPage(letter, Number(page)) : undefined,
      )
      if (!png) throw proofPageNotFound(jobId, page)
      return reply.headers(shownAs('image/png')).send(Buffer.from(png))
    },
  })
}
