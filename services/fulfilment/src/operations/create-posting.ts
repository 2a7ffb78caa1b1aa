import { createPosting as operation } from '@despatch/contracts/print-fulfilment/operations'
import type { PostingRequest } from '@despatch/contracts/print-fulfilment/posting'
import { printRunNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { insertPosting, type PostingOutcome } from '@despatch/store/posting/postings'
import type { Posting } from '@despatch/store/posting/read'
import { postingRefused } from '../posting/posting-refused.ts'
import { type LetterTraces, traceLetters } from '../print-run/trace-letters.ts'
import { providerOf } from '../request/provider-of.ts'
import { hashRequest } from '../request/request-hash.ts'

/** POST /postings: records which documents the provider handed to which carrier. */
export function createPosting(api: Api, { db, tracing }: LetterTraces): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { carrier, handoverAt, manifestNumber, counts } = request.body
      const { despatchProperties = [], documents = [] } = request.body
      const printRuns = printRunsOf(request.body)
      addToLogLine(request, { batchNumbers: printRuns.map(({ batchNumber }) => batchNumber) })
      const outcome = await insertPosting(db, {
        providerId: providerOf(request.caller),
        postingKey: request.headers['idempotency-key'],
        requestHash: hashRequest(request.body),
        printRuns,
        carrier,
        handoverAt: new Date(handoverAt),
        manifestNumber,
        counts,
        despatchProperties,
        details: documents,
      })
      const posting = savedPosting(outcome)
      addToLogLine(request, { postingId: posting.postingId })
      const { postingId, documentCount } = posting
      await traceLetters({ db, tracing }, request, {
        name: 'posting.create',
        letters: { postingId },
        facts: { 'despatch.posting.id': postingId, 'despatch.letters': documentCount },
      })
      return reply.code(201).send(posting)
    },
  })
}

function printRunsOf({ batchNumber, documentIds, printRuns }: PostingRequest) {
  return printRuns ?? [{ batchNumber: batchNumber!, documentIds }]
}

function savedPosting(outcome: PostingOutcome): Posting {
  if (outcome.kind === 'posted') return outcome.posting
  if (outcome.kind === 'absent') throw printRunNotFound(outcome.batchNumber)
  throw postingRefused(outcome)
}
