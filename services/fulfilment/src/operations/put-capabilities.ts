import { printSiteNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { parseCapabilities, renderSite } from '@despatch/contracts/print-fulfilment/site'
import { putCapabilities as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { updateSiteCapabilities } from '@despatch/store/provider/capabilities'
import { providerOf } from '../provider-of.ts'

/** PUT /capabilities/{printLocation}: sets what the site can print from now on. */
export function putCapabilities(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { printLocation } = request.params
      const providerId = providerOf(request.caller)
      const capabilities = parseCapabilities(request.body)
      const site = await updateSiteCapabilities(db, { providerId, printLocation, capabilities })
      if (!site) throw printSiteNotFound(printLocation)
      addToLogLine(request, { printLocation })
      return renderSite(site)
    },
  })
}
