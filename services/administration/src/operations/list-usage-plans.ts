import { listUsagePlans as operation } from '@despatch/contracts/administration/operations'
import { renderUsagePlan } from '@despatch/contracts/administration/usage-plan'
import type { Api } from '@despatch/http/api'
import { listAllUsagePlans } from '@despatch/store/access/usage-plan-limits'
import type { Db } from '@despatch/store/database'

/** GET /usage-plans: lists the usage plans with their limits. */
export function listUsagePlans(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async () => ({ usagePlans: (await listAllUsagePlans(db)).map(renderUsagePlan) }),
  })
}
