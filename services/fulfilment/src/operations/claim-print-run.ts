import { claimResponseSchema } from '@despatch/contracts/print-fulfilment/claim'
import { claimPrintRun as operation } from '@despatch/contracts/print-fulfilment/operations'
import { manifestPath } from '@despatch/contracts/print-fulfilment/paths'
import { printRunNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { renderAnswer } from '@despatch/http/stored-answers'
import { type ClaimOutcome, saveClaim } from '@despatch/store/print-run/claim'
import { type LetterTraces, traceLetters } from '../print-run/trace-letters.ts'
import { providerOf } from '../request/provider-of.ts'
import { hashRequest } from '../request/request-hash.ts'

/** How long a provider has to acknowledge a claimed run, unless its call says otherwise. */
export const leaseSecondsDefault = 900

/** POST /print-runs/{batchNumber}/claim: freezes the run and moves its print jobs to PRODUCTION. */
export function claimPrintRun(api: Api, { db, tracing }: LetterTraces): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { batchNumber } = request.params
      const body = request.body ?? {}
      addToLogLine(request, { batchNumber })
      const outcome = await saveClaim(
        db,
        {
          providerId: providerOf(request.caller),
          batchNumber,
          claimKey: request.headers['idempotency-key'],
          requestHash: hashRequest(body),
          leaseSeconds: body.leaseSeconds ?? leaseSecondsDefault,
        },
        (claimed) => {
          const manifest = manifestPath(claimed.batchNumber)
          const answer = { ...claimed, state: 'CLAIMED' as const, manifest }
          return Buffer.from(JSON.stringify(renderAnswer(claimResponseSchema, answer)))
        },
      )
      const response = responseOf(outcome, batchNumber)
      await traceLetters({ db, tracing }, request, {
        name: 'print-run.claim',
        letters: { batchNumbers: [batchNumber] },
        facts: { 'despatch.print_run.batch_number': batchNumber },
      })
      // sends the stored bytes, so that a repeated claim gets exactly the same response
      return reply.type('application/json; charset=utf-8').send(response as never)
    },
  })
}

function responseOf(outcome: ClaimOutcome, batchNumber: string): Buffer {
  switch (outcome.kind) {
    case 'claimed':
      return outcome.response
    case 'absent':
      throw printRunNotFound(batchNumber)
    case 'key-reused':
      throw new Problem(
        'claim-key-reused',
        'The Idempotency-Key was used for another claim, or with another body',
      )
    case 'already-acknowledged':
      throw new Problem(
        'print-run-not-claimable',
        `Print run ${batchNumber} was claimed with another key and acknowledged`,
      )
    case 'moved':
      throw new Problem(
        'print-run-not-claimable',
        `Print run ${batchNumber} was reassigned and must no longer be printed`,
      )
    case 'empty':
      throw new Problem(
        'print-run-not-claimable',
        `Print run ${batchNumber} has nothing to print, because all its documents were withdrawn`,
      )
  }
}
