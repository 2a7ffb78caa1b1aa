import { confirmPosting as operation } from '@despatch/contracts/print-fulfilment/operations'
import { renderPosting } from '@despatch/contracts/print-fulfilment/posting'
import { postingNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { confirmPosting as confirmStored } from '@despatch/store/postings-confirm'
import { providerOf } from '../provider-of.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** POST /postings/{postingId}/confirm: its documents are despatched, and the callbacks follow. */
export function confirmPosting(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { postingId } = request.params
      const providerId = providerOf(request.caller)
      const posting = uuid.test(postingId)
        ? await confirmStored(db, { providerId, postingId })
        : undefined
      if (!posting) throw postingNotFound(postingId)
      const { batchNumber } = posting
      addToLogLine(request, { batchNumber, postingId: posting.postingId })
      return renderPosting(posting)
    },
  })
}
