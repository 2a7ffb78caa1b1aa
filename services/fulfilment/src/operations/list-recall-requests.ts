import { listRecallRequests as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { isUuid } from '@despatch/store/is-uuid'
import { listRecalls } from '@despatch/store/recall/read'
import { providerOf } from '../request/provider-of.ts'

/** GET /recall-requests: lists what operators recall. The cursor is the id of the last recall of the previous page. */
export function listRecallRequests(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { state, cursor, limit } = request.query
      if (cursor !== undefined && !isUuid(cursor)) {
        const detail = 'cursor must be the nextCursor of another page'
        throw invalidFields([{ field: 'cursor', code: 'Pattern', detail }])
      }
      const found = await listRecalls(db, {
        providerId: providerOf(request.caller),
        state,
        after: cursor,
        recallsMax: limit + 1,
      })
      const recallRequests = found.slice(0, limit)
      const last = recallRequests.at(-1)
      const hasMore = found.length > recallRequests.length
      return { recallRequests, ...(hasMore && last && { nextCursor: last.recallId }) }
    },
  })
}
