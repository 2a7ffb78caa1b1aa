import { reportStockSpoilage as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { spoilStock } from '@despatch/store/serial-stock/serial-stock'
import { providerOf } from '../provider-of.ts'

/** POST /serial-stock/spoilage: records numbered stock that was lost before anything was printed on it. */
export function reportStockSpoilage(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const providerId = providerOf(request.caller)
      const { jobType, serialNumbers } = request.body
      const outcome = await spoilStock(db, { providerId, ...request.body })
      if (outcome.kind === 'not-in-stock') throw notInStock(outcome.places, jobType)
      addToLogLine(request, { jobType, spoiledCount: serialNumbers.length })
      return { jobTypes: outcome.account }
    },
  })
}

function notInStock(places: readonly number[], jobType: string) {
  return invalidFields(
    places.map((place) => {
      const field = `serialNumbers[${place}]`
      const detail = `${field} is not a number of ${jobType} in the stock of the provider`
      return { field, code: 'NotFound', detail }
    }),
  )
}
