import { readDayUsage } from '@despatch/access/day-usage'
import type { UsageStore } from '@despatch/access/usage-store'
import { renderServiceUsage } from '@despatch/contracts/administration/consumer-usage'
import { getConsumerUsage as operation } from '@despatch/contracts/administration/operations'
import type { Api } from '@despatch/http/api'
import { listUsageOfDay } from '@despatch/store/access/usage-of-day'
import { listLimitsOf } from '@despatch/store/access/usage-plan-limits'
import type { Db } from '@despatch/store/database'
import { getListedConsumer } from '../consumer/consumers.ts'

const dayMs = 86_400_000

type GetConsumerUsageContext = { db: Db; usage: Pick<UsageStore, 'read'>; now: () => Date }

/**
 * GET /consumers/{consumerId}/usage: returns what its plan allows, its requests of the day, and approximately how much
 * of the day's allowances is used.
 */
export function getConsumerUsage(api: Api, { db, usage, now }: GetConsumerUsageContext): void {
  api.route({
    ...operation,
    handler: async ({ params: { consumerId } }) => {
      const { usagePlan, services: letIn } = await getListedConsumer(db, consumerId)
      const limits = await listLimitsOf(db, usagePlan)
      const at = now()
      const today = await listUsageOfDay(db, { consumerId, day: Math.floor(+at / dayMs) })

      async function usageOf(service: string) {
        const limit = limits.find((each) => each.service === service) ?? null
        const isLetIn = letIn.includes(service)
        const day = limit && (await readDayUsage(usage, { service, consumerId }, limit, at))
        return renderServiceUsage({
          service,
          isLetIn,
          limit,
          today: today.get(service),
          ...(day ?? { day: null, dayBytes: null }),
        })
      }

      const services = new Set([...letIn, ...limits.map(({ service }) => service)])
      return {
        consumerId,
        usagePlan,
        at,
        services: await Promise.all([...services].toSorted().map(usageOf)),
      }
    },
  })
}
