import { addPostingEvidence as operation } from '@despatch/contracts/print-fulfilment/operations'
import { postingNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { evidenceKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { insertEvidence } from '@despatch/store/postings-evidence'
import { postingRefOf } from '../posting-ref-of.ts'

export type EvidenceContext = {
  db: Db
  objects: Pick<ObjectStore, 'uploadAddress'>
  newId: () => string
  linkSeconds: number
}

/** POST /postings/{postingId}/evidence: an address that takes the bytes of a receipt or docket by PUT. */
export function addPostingEvidence(
  api: Api,
  { db, objects, newId, linkSeconds }: EvidenceContext,
): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const ref = postingRefOf(request)
      const evidenceId = newId()
      const createdAt = await insertEvidence(db, ref, { evidenceId, ...request.body })
      if (!createdAt) throw postingNotFound(ref.postingId)

      addToLogLine(request, { postingId: ref.postingId, evidenceId })
      const uploadUrl = await objects.uploadAddress(evidenceKey(ref.postingId, evidenceId), {
        expiresSeconds: linkSeconds,
      })
      const expiresAt = new Date(createdAt.getTime() + linkSeconds * 1_000).toISOString()
      return reply.code(201).send({ evidenceId, uploadUrl, expiresAt })
    },
  })
}
