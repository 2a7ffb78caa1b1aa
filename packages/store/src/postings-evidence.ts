import type { Db } from './database.ts'
import type { PostingRef } from './postings-read.ts'

export type NewEvidence = { evidenceId: string; fileName: string; mediaType: string }

/** Notes that a file is going to be uploaded to show a posting, and when that was. Undefined: the provider has no such posting. */
export async function insertEvidence(
  db: Db,
  { providerId, postingId }: PostingRef,
  { evidenceId, fileName, mediaType }: NewEvidence,
): Promise<Date | undefined> {
  const row = await db
    .insertInto('posting_evidence')
    .columns(['id', 'posting_id', 'file_name', 'media_type'])
    .expression((query) =>
      query
        .selectFrom('posting')
        .select(({ val }) => [
          val(evidenceId).$castTo<string>().as('id'),
          'posting.id as posting_id',
          val(fileName).as('file_name'),
          val(mediaType).as('media_type'),
        ])
        .where('posting.id', '=', postingId)
        .where('posting.provider_id', '=', providerId),
    )
    .returning('created_at')
    .executeTakeFirst()
  return row?.created_at
}
