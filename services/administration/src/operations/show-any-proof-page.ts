import { showAnyProofPage as operation } from '@despatch/contracts/administration/letter-operations'
import { proofPageNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import { drawPage, shownAs } from '@despatch/letters/draw-letter'
import { type ShowLetterContext, showAnyLetter } from '../show-any-letter.ts'

/** GET /print-jobs/{printJobKey}/proof/{page}.png: returns one page of a letter as a picture. */
export function showAnyProofPage(api: Api, context: ShowLetterContext): void {
  api.route({
    ...operation,
    exposeHeadRoute: false,
    handler: async ({ params: { printJobKey, page }, caller }, reply) => {
      const png = await showAnyLetter(context.db, { printJobKey, caller }, (source) =>
        drawPage(context, { source, page, reply }),
      )
      if (!png) throw proofPageNotFound(printJobKey, page)
      return reply.headers(shownAs('image/png')).send(Buffer.from(png))
    },
  })
}
