import { createPosting as operation } from '@despatch/contracts/print-fulfilment/operations'
import { renderPosting } from '@despatch/contracts/print-fulfilment/posting'
import { printRunNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { insertPosting, type Posting, type PostingOutcome } from '@despatch/store/postings'
import { providerOf } from '../provider-of.ts'
import { hashRequest } from '../request-hash.ts'

/** POST /postings: what was handed to which carrier. */
export function createPosting(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { batchNumber, carrier, handoverAt, manifestNumber, documentIds } = request.body
      const { despatchProperties = [], documents = [] } = request.body
      const outcome = await insertPosting(db, {
        providerId: providerOf(request.caller),
        postingKey: request.headers['idempotency-key'],
        requestHash: hashRequest(request.body),
        batchNumber,
        carrier,
        handoverAt: new Date(handoverAt),
        manifestNumber,
        despatchProperties,
        documentIds,
        details: documents,
      })
      const posting = savedPosting(outcome, batchNumber)
      addToLogLine(request, { batchNumber, postingId: posting.postingId })
      return reply.code(201).send(renderPosting(posting))
    },
  })
}

const documentsToldMax = 20

function savedPosting(outcome: PostingOutcome, batchNumber: string): Posting {
  switch (outcome.kind) {
    case 'posted':
      return outcome.posting
    case 'absent':
      throw printRunNotFound(batchNumber)
    case 'key-reused':
      throw new Problem(
        'posting-conflict',
        'The Idempotency-Key was used for another posting, or with another body',
      )
    case 'not-acknowledged':
      throw new Problem('posting-conflict', `Print run ${batchNumber} has not been acknowledged`)
    case 'nothing-to-post':
      throw new Problem(
        'posting-conflict',
        `Print run ${batchNumber} has no documents left that could be posted`,
      )
    case 'not-postable':
      throw new Problem(
        'posting-conflict',
        `Not in print run ${batchNumber}, refused, or in another posting: ${someOf(outcome.documentIds)}`,
      )
  }
}

function someOf(documentIds: readonly string[]): string {
  const told = documentIds.slice(0, documentsToldMax).join(', ')
  const untold = documentIds.length - documentsToldMax
  return untold > 0 ? `${told} and ${untold} more` : told
}
