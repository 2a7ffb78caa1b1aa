import { showAnyProof as operation } from '@despatch/contracts/administration/letter-operations'
import type { Api } from '@despatch/http/api'
import { drawLetter, shownAs } from '@despatch/letters/draw-letter'
import { type ShowLetterContext, showAnyLetter } from '../show-any-letter.ts'

/** GET /print-jobs/{printJobKey}/proof.pdf: what a letter looks like, with what was found in it drawn in. */
export function showAnyProof(api: Api, context: ShowLetterContext): void {
  api.route({
    ...operation,
    // an answer to HEAD would draw it for nothing
    exposeHeadRoute: false,
    handler: async ({ params: { printJobKey }, caller }, reply) => {
      const pdf = await showAnyLetter(context.db, { printJobKey, caller }, (source) =>
        drawLetter(context, { source, reply }),
      )
      return reply.headers(shownAs('application/pdf')).send(Buffer.from(pdf))
    },
  })
}
