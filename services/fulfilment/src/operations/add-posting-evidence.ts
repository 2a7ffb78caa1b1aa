import { addPostingEvidence as operation } from '@despatch/contracts/print-fulfilment/operations'
import { evidenceMax } from '@despatch/contracts/print-fulfilment/posting'
import { postingNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { evidenceKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { type EvidenceOutcome, insertEvidence } from '@despatch/store/posting/evidence'
import { postingRefOf } from '../posting-ref-of.ts'

export type EvidenceContext = {
  db: Db
  objects: Pick<ObjectStore, 'uploadAddress'>
  newId: () => string
  linkSeconds: number
}

/** POST /postings/{postingId}/evidence: returns an address that accepts the bytes of a receipt or docket by PUT. */
export function addPostingEvidence(
  api: Api,
  { db, objects, newId, linkSeconds }: EvidenceContext,
): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const ref = postingRefOf(request)
      const evidenceId = newId()
      const evidence = { evidenceId, ...request.body }
      const outcome = await insertEvidence(db, ref, evidence, { evidenceMax })
      const createdAt = notedAt(outcome, ref.postingId)

      addToLogLine(request, { postingId: ref.postingId, evidenceId })
      const uploadUrl = await objects.uploadAddress(evidenceKey(ref.postingId, evidenceId), {
        expiresSeconds: linkSeconds,
      })
      const expiresAt = new Date(createdAt.getTime() + linkSeconds * 1_000).toISOString()
      return reply.code(201).send({ evidenceId, uploadUrl, expiresAt })
    },
  })
}

function notedAt(outcome: EvidenceOutcome, postingId: string): Date {
  switch (outcome.kind) {
    case 'noted':
      return outcome.createdAt
    case 'absent':
      throw postingNotFound(postingId)
    case 'full':
      throw new Problem(
        'posting-conflict',
        `Posting ${postingId} has ${evidenceMax} pieces of evidence, which is the maximum`,
      )
  }
}
