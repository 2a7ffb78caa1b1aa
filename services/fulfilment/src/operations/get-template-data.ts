import { fulfilmentJobNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { getTemplateData as operation } from '@despatch/contracts/print-fulfilment/production-operations'
import { renderTemplateData } from '@despatch/contracts/print-fulfilment/template-data'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findSequenceRange, pageTemplateData } from '@despatch/store/print-run/template-data'
import { providerOf } from '../provider-of.ts'
import { streamOf } from '../stream-of.ts'

/**
 * GET /print-runs/{batchNumber}/fulfilment-jobs/{fulfilmentJobId}/template-data: returns the values for the provider's
 * templates.
 */
export function getTemplateData(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { batchNumber, fulfilmentJobId } = request.params
      const providerId = providerOf(request.caller)
      const places = await findSequenceRange(db, { providerId, batchNumber, fulfilmentJobId })
      if (!places) throw fulfilmentJobNotFound(fulfilmentJobId, batchNumber)

      const lines = renderTemplateData(pageTemplateData(db, batchNumber, places))
      return reply
        .header('cache-control', 'no-store')
        .type('application/x-ndjson; charset=utf-8')
        .send(streamOf(lines))
    },
  })
}
