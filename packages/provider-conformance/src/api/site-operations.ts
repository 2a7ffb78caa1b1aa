import { printSiteNotFound } from '@despatch/contracts/print-fulfilment/problems'
import {
  type CapabilitiesRequest,
  parseCapabilities,
  renderSite,
} from '@despatch/contracts/print-fulfilment/site'
import {
  acceptRecall,
  getSerialStock,
  getWorkSummary,
  listCapabilities,
  listRecallRequests,
  putCapabilities,
  recordReturns,
  rejectRecall,
  reportStockSpoilage,
  sendHeartbeat,
  whoami,
} from '@despatch/contracts/print-fulfilment/site-operations'
import {
  type Capabilities,
  unrestrictedCapabilities,
} from '@despatch/domain/print-run/capabilities'
import type { Api } from '@despatch/http/api'
import type { Platform } from '../platform/platform.ts'
import { answerRecall, renderRecall } from '../platform/recalls.ts'

const printLocation = 'CONFORMANCE'

/** Adds the operations that do not concern a single print run: caller, capabilities, recalls, returns and stock. */
export function addSiteOperations(api: Api, platform: Platform): void {
  let capabilities: Capabilities = unrestrictedCapabilities
  const site = () => renderSite({ printLocation, enabled: true, share: 100, capabilities })

  api.route({
    ...whoami,
    handler: async ({ caller }) => ({
      providerId: 'conformance',
      name: 'Conformance',
      exchange: 'http' as const,
      printLocations: [printLocation],
      roles: [...caller.roles],
      serverTime: platform.now().toISOString(),
    }),
  })
  api.route({
    ...sendHeartbeat,
    handler: async () => ({ receivedAt: platform.now().toISOString() }),
  })
  api.route({
    ...getWorkSummary,
    handler: async () => ({ at: platform.now().toISOString(), streams: [] }),
  })
  api.route({ ...listCapabilities, handler: async () => ({ sites: [site()] }) })
  api.route({
    ...putCapabilities,
    handler: async ({ params, body }) => {
      if (params.printLocation !== printLocation) throw printSiteNotFound(params.printLocation)
      capabilities = parseCapabilities(body as CapabilitiesRequest)
      return site()
    },
  })
  api.route({ ...getSerialStock, handler: async () => ({ jobTypes: [] }) })
  api.route({ ...reportStockSpoilage, handler: async () => ({ jobTypes: [] }) })
  api.route({
    ...recordReturns,
    handler: async ({ body }) => ({
      results: body.returns.map(({ returnId }) => ({ returnId, result: 'RECORDED' as const })),
    }),
  })
  addRecallOperations(api, platform)
}

function addRecallOperations(api: Api, platform: Platform): void {
  api.route({
    ...listRecallRequests,
    handler: async ({ query }) => {
      const found = [...platform.runs.values()]
        .filter(({ isOffered }) => isOffered)
        .flatMap((run) => run.recalls.map((recall) => renderRecall(run, recall)))
        .filter(({ state }) => query.state === undefined || query.state === state)
      return { recallRequests: found }
    },
  })
  api.route({
    ...acceptRecall,
    handler: async ({ params, body }) => {
      const tooLate = body?.tooLate ?? []
      const { run, recall } = answerRecall(platform, params.recallId, { tooLate })
      return renderRecall(run, recall)
    },
  })
  api.route({
    ...rejectRecall,
    handler: async ({ params }) => {
      const { run, recall } = answerRecall(platform, params.recallId, 'reject')
      return renderRecall(run, recall)
    },
  })
}
