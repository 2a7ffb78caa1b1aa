import { listScenarios as operation } from '@despatch/contracts/uat/operations'
import type { Api } from '@despatch/http/api'
import { listScenarios as listAll } from '@despatch/uat-scenarios/list-scenarios'

/** GET /uat/scenarios: lists every request with a predefined outcome, or those of one interface. */
export function listScenarios(api: Api): void {
  const scenarios = listAll()
  api.route({
    ...operation,
    config: { open: true },
    handler: async ({ query }) => ({
      scenarios:
        query.api === undefined ? scenarios : scenarios.filter(({ api }) => api === query.api),
    }),
  })
}
