import { isDeepStrictEqual } from 'node:util'
import { untilCachesExpire } from '@despatch/access/consumer-cache'
import * as operations from '@despatch/contracts/administration/operations'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import {
  listAllUsagePlans,
  type StoredUsagePlan,
  saveUsagePlan,
} from '@despatch/store/access/usage-plan-limits'
import type { Db } from '@despatch/store/database'
import { actorOf } from '../operator/access.ts'

/** GET /usage-plans: lists the usage plans with their limits. */
export function listUsagePlans(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listUsagePlans,
    handler: async () => ({ usagePlans: await listAllUsagePlans(db) }),
  })
}

/**
 * PUT /usage-plans/{name}: creates or replaces a plan. Answers after more than a second, when every process uses it, also
 * if nothing changed: the answer to the change may have been lost.
 */
export function putUsagePlan(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.putUsagePlan,
    handler: async (request) => {
      const limits = request.body.limits
        .map(({ requestsPerDay = null, bytesPerDay = null, ...limit }) => ({
          ...limit,
          requestsPerDay,
          bytesPerDay,
        }))
        .sort((one, other) => (one.service < other.service ? -1 : 1))
      const plan = { name: request.params.name, limits }
      await transact(db, (tx) => save(tx, plan, actorOf(request.caller)))
      await untilCachesExpire()
      return plan
    },
  })
}

async function save(tx: Db, plan: StoredUsagePlan, actor: string): Promise<void> {
  const known = (await listAllUsagePlans(tx)).find(({ name }) => name === plan.name)
  if (known && isDeepStrictEqual(known, plan)) return
  await saveUsagePlan(tx, plan)
  await insertAuditEvent(tx, {
    actor,
    action: 'usage-plan.saved',
    detail: { usagePlan: plan.name, limits: plan.limits },
  })
}
