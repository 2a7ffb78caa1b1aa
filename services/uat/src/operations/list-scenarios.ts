import { listScenarios as operation } from '@despatch/contracts/uat/operations'
import type { Api } from '@despatch/http/api'
import { listScenarios as listAll } from '@despatch/uat-scenarios/list-scenarios'

/** GET /uat/scenarios: every request whose outcome is predefined, or those of one interface. */
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
