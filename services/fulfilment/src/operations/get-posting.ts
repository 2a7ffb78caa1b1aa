import { getPosting as operation } from '@despatch/contracts/print-fulfilment/operations'
import { postingNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findPosting } from '@despatch/store/posting/read'
import { postingRefOf } from '../posting/posting-ref-of.ts'

/** GET /postings/{postingId}: returns a posting. */
export function getPosting(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const ref = postingRefOf(request)
      const posting = await findPosting(db, ref)
      if (!posting) throw postingNotFound(ref.postingId)
      return posting
    },
  })
}
