import { acceptRecall as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { saveRecallAnswer } from '../print-run/recall-answer.ts'
import { providerOf } from '../request/provider-of.ts'

/** POST /recall-requests/{recallId}/accept: the provider stopped the documents, except those that had already left. */
export function acceptRecall(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { recallId } = request.params
      const providerId = providerOf(request.caller)
      const tooLate = request.body?.tooLate ?? []
      const recall = await saveRecallAnswer(db, { providerId, recallId, tooLate })
      const { batchNumber, state } = recall
      addToLogLine(request, { batchNumber, recallId, recallState: state })
      return recall
    },
  })
}
