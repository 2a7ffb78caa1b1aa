import { TaskLimitExceeded } from '@despatch/composer/task-limits'
import * as operations from '@despatch/contracts/print-request/operations'
import { dryRunPageNotFound, dryRunTooComplex } from '@despatch/contracts/print-request/problems'
import type { LetterToDraw } from '@despatch/documents/letter-proof'
import type { Api } from '@despatch/http/api'
import { inlineHeaders, parsePageNumber } from '@despatch/letters/draw-letter'
import { type WaitingCaller, withinLimit } from '@despatch/letters/within-limit'
import { type DryRunContext, makeDryRun, planDryRun } from '../print-job/dry-run.ts'

/** POST /print/jobs/validate/proof.pdf: returns the proof that a print job would have. An addition to the specification. */
export function drawDryRun(api: Api, context: DryRunContext): void {
  api.route({
    ...operations.drawDryRun,
    handler: async (request, reply) => {
      const { consumerId } = request.caller
      const pdf = await draw(context, request, { consumerId, reply }, (letter, signal) =>
        context.composers.letterProof(letter, { consumerId, signal }),
      )
      return reply.headers(inlineHeaders('application/pdf')).send(Buffer.from(pdf))
    },
  })
}

/** POST /print/jobs/validate/proof/{page}.png: returns one page of it as a picture. An addition to the specification. */
export function drawDryRunPage(api: Api, context: DryRunContext): void {
  api.route({
    ...operations.drawDryRunPage,
    handler: async (request, reply) => {
      const { consumerId } = request.caller
      const { page } = request.params
      const number = parsePageNumber(page)
      if (number === undefined) throw dryRunPageNotFound(page)
      const png = await draw(context, request, { consumerId, reply }, (letter, signal) =>
        context.composers.letterProofPage(letter, number, { consumerId, signal }),
      )
      if (!png) throw dryRunPageNotFound(page)
      return reply.headers(inlineHeaders('image/png')).send(Buffer.from(png))
    },
  })
}

async function draw<Shown>(
  context: DryRunContext,
  request: Parameters<typeof planDryRun>[1],
  by: WaitingCaller,
  show: (letter: LetterToDraw, signal: AbortSignal) => Promise<Shown>,
): Promise<Shown> {
  const planned = await planDryRun(context, request)
  return withinLimit(context.limits, by, 'dry-run', async (signal) => {
    const { letter } = await makeDryRun(context, planned, signal)
    return show(letter, signal)
  }).catch((error: unknown) => {
    throw error instanceof TaskLimitExceeded ? dryRunTooComplex() : error
  })
}
