import { rejectRecall as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { saveRecallAnswer } from '../print-run/recall-answer.ts'
import { providerOf } from '../request/provider-of.ts'

/** POST /recall-requests/{recallId}/reject: it is too late to stop any of the documents. */
export function rejectRecall(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { recallId } = request.params
      const { reason } = request.body
      const providerId = providerOf(request.caller)
      const recall = await saveRecallAnswer(db, { providerId, recallId, tooLate: 'all', reason })
      addToLogLine(request, { batchNumber: recall.batchNumber, recallId })
      return recall
    },
  })
}
