import { showAnyProof as operation } from '@despatch/contracts/administration/letter-operations'
import type { Api } from '@despatch/http/api'
import { drawLetter, shownAs } from '@despatch/letters/draw-letter'
import { type ShowLetterContext, showAnyLetter } from '../show-any-letter.ts'

/** GET /print-jobs/{printJobKey}/proof.pdf: returns the letter as a PDF with its findings drawn in. */
export function showAnyProof(api: Api, context: ShowLetterContext): void {
  api.route({
    ...operation,
    // HEAD would draw the letter without sending it
    exposeHeadRoute: false,
    handler: async ({ params: { printJobKey }, caller }, reply) => {
      const pdf = await showAnyLetter(context.db, { printJobKey, caller }, (source) =>
        drawLetter(context, { source, reply }),
      )
      return reply.headers(shownAs('application/pdf')).send(Buffer.from(pdf))
    },
  })
}
