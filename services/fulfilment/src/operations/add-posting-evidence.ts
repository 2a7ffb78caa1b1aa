import { addPostingEvidence as operation } from '@despatch/contracts/print-fulfilment/operations'
import { evidenceMax } from '@despatch/contracts/print-fulfilment/posting'
import { postingNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { evidenceKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import type { PostingRef } from '@despatch/store/posting/read'
import { postingRefOf } from '../posting/posting-ref-of.ts'
import { linkSeconds } from './get-document-content.ts'

type EvidenceContext = {
  db: Db
  objects: Pick<ObjectStore, 'uploadAddress'>
  newId: () => string
}

/** POST /postings/{postingId}/evidence: returns an address that accepts the bytes of a receipt or docket by PUT. */
export function addPostingEvidence(api: Api, { db, objects, newId }: EvidenceContext): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const ref = postingRefOf(request)
      const evidenceId = newId()
      const { bytes, ...named } = request.body
      const evidence = { evidenceId, ...named }
      const createdAt = await insertEvidence(db, ref, evidence)

      addToLogLine(request, { postingId: ref.postingId, evidenceId })
      const uploadUrl = await objects.uploadAddress(evidenceKey(ref.postingId, evidenceId), {
        expiresSeconds: linkSeconds,
        bytes,
      })
      const expiresAt = new Date(createdAt.getTime() + linkSeconds * 1_000)
      return reply.code(201).send({ evidenceId, uploadUrl, expiresAt })
    },
  })
}

type NewEvidence = { evidenceId: string; fileName: string; mediaType: string }

/**
 * Records that a file will be uploaded as evidence for a posting of the provider, and returns when. A posting may have
 * `evidenceMax` files.
 */
async function insertEvidence(
  db: Db,
  { providerId, postingId }: PostingRef,
  { evidenceId, fileName, mediaType }: NewEvidence,
): Promise<Date> {
  return transact(db, async (tx) => {
    const posting = await tx
      .selectFrom('posting')
      .select('id')
      .where('id', '=', postingId)
      .where('provider_id', '=', providerId)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!posting) throw postingNotFound(postingId)
    const { noted } = await tx
      .selectFrom('posting_evidence')
      .select(({ fn }) => fn.countAll<number>().as('noted'))
      .where('posting_id', '=', postingId)
      .executeTakeFirstOrThrow()
    if (noted >= evidenceMax) {
      throw new Problem(
        'posting-conflict',
        `Posting ${postingId} has ${evidenceMax} pieces of evidence, which is the maximum`,
      )
    }
    const evidence = await tx
      .insertInto('posting_evidence')
      .values({ id: evidenceId, posting_id: postingId, file_name: fileName, media_type: mediaType })
      .returning('created_at')
      .executeTakeFirstOrThrow()
    return evidence.created_at
  })
}
