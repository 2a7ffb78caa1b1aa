import type { postingSchema } from '@despatch/contracts/administration/posting'
import { listPostings as operation } from '@despatch/contracts/administration/print-run-operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import type { z } from 'zod'
import { requirePrintRun } from '../print-run/refusals.ts'

/** GET /print-runs/{batchNumber}/postings: lists the postings that cover documents of a print run. */
export function listPostings(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params: { batchNumber }, query: { cursor, limit } }) => {
      await requirePrintRun(db, batchNumber)
      const postings = await listPostingPage(db, batchNumber, {
        before: cursor,
        postingsMax: limit,
      })
      return {
        postings,
        ...cursorAfter(postings, limit, ({ postingId }) => postingId),
      }
    },
  })
}

type StoredPosting = z.input<typeof postingSchema>

type PostingPage = {
  /** The id of the last posting of the previous page. */
  before?: string | undefined
  postingsMax: number
}

async function listPostingPage(
  db: Db,
  batchNumber: string,
  { before, postingsMax }: PostingPage,
): Promise<StoredPosting[]> {
  const isBefore =
    before === undefined
      ? sql`true`
      : sql`(created_at, id) < (select created_at, id from posting where id = ${before}::uuid)`
  const { rows } = await sql<StoredPosting>`
    select posting.id as "postingId", carrier, handover_at as "handoverAt", manifest_number as "manifestNumber",
      posting_run.document_count as "documentCount", posting_run.sheet_count as "sheetCount", posting.counts,
      (select count(*) from posting_run covered where covered.posting_id = posting.id) as "printRunCount",
      (select count(*) from posting_evidence where posting_id = posting.id) as "evidenceCount",
      created_at as "createdAt", confirmed_at as "confirmedAt"
    from posting_run join posting on posting.id = posting_run.posting_id
    where posting_run.batch_number = ${batchNumber} and ${isBefore}
    order by created_at desc, posting.id desc limit ${postingsMax}`.execute(db)
  return rows
}
