import type { Db } from '../database.ts'
import { transact } from '../transact.ts'
import type { PostingRef } from './read.ts'

export type NewEvidence = { evidenceId: string; fileName: string; mediaType: string }

export type EvidenceOutcome =
  | { kind: 'noted'; createdAt: Date }
  | { kind: 'absent' }
  /** The posting has reached its limit. */
  | { kind: 'full' }

/**
 * Records that a file will be uploaded as evidence for a posting of the provider. A posting may have `evidenceMax`
 * files.
 */
export async function insertEvidence(
  db: Db,
  { providerId, postingId }: PostingRef,
  { evidenceId, fileName, mediaType }: NewEvidence,
  { evidenceMax }: { evidenceMax: number },
): Promise<EvidenceOutcome> {
  return transact(db, async (tx) => {
    const posting = await tx
      .selectFrom('posting')
      .select('id')
      .where('id', '=', postingId)
      .where('provider_id', '=', providerId)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!posting) return { kind: 'absent' }
    const { noted } = await tx
      .selectFrom('posting_evidence')
      .select(({ fn }) => fn.countAll<number>().as('noted'))
      .where('posting_id', '=', postingId)
      .executeTakeFirstOrThrow()
    if (noted >= evidenceMax) return { kind: 'full' }
    const { created_at: createdAt } = await tx
      .insertInto('posting_evidence')
      .values({ id: evidenceId, posting_id: postingId, file_name: fileName, media_type: mediaType })
      .returning('created_at')
      .executeTakeFirstOrThrow()
    return { kind: 'noted', createdAt }
  })
}
