import { getLetter as operation } from '@despatch/contracts/print-request/operations'
import { letterRefused } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import { makeAccessibleLetter } from '@despatch/letters/accessible-letter'
import { inlineHeaders } from '@despatch/letters/draw-letter'
import type { LetterTemplates } from '@despatch/letters/letter-templates'
import type { WorkLimits } from '@despatch/letters/within-limit'
import type { Db } from '@despatch/store/database'
import { findOwnLetter } from '../print-job/draw-own-letter.ts'

/**
 * GET /print/jobs/{jobId}/letter.pdf: returns a letter from a template as an accessible PDF, for the consumer's archive or
 * portal. An addition to the specification.
 */
export function getLetter(
  api: Api,
  context: { db: Db; templates: Pick<LetterTemplates, 'typeset'>; limits: WorkLimits },
): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { jobId } = request.params
      const { consumerId } = request.caller
      const source = await findOwnLetter(context.db, { consumerId, jobId })
      const letter = await makeAccessibleLetter(context, { source, by: { consumerId, reply } })
      if (letter.kind !== 'made') throw letterRefused(jobId, letter.kind)
      return reply.headers(inlineHeaders('application/pdf')).send(Buffer.from(letter.pdf))
    },
  })
}
