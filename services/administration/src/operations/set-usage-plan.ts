import { untilCachesExpire } from '@despatch/access/consumer-cache'
import { setUsagePlan as operation } from '@despatch/contracts/administration/operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { changeConsumer, updateConsumerRights } from '../consumer/change-consumer.ts'
import { requireKnownPlan } from '../consumer/known-values.ts'
import { actorOf } from '../operator/access.ts'

/**
 * PUT /consumers/{consumerId}/usage-plan: sets the consumer's usage plan. Answers after more than a second, when every
 * process uses it, also if nothing changed.
 */
export function setUsagePlan(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { consumerId } = request.params
      const { usagePlan } = request.body
      await requireKnownPlan(db, usagePlan)
      const consumer = await changeConsumer(db, {
        consumerId,
        actor: actorOf(request.caller),
        action: 'consumer.usage-plan-set',
        make: async (tx, known) => {
          if (known.usagePlan === usagePlan) return undefined
          await updateConsumerRights(tx, consumerId, { usagePlan })
          return { usagePlan, before: known.usagePlan }
        },
      })
      await untilCachesExpire()
      return consumer
    },
  })
}
