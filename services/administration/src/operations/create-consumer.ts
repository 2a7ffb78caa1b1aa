import { createConsumer as create } from '@despatch/access/create-consumer'
import { createConsumer as operation } from '@despatch/contracts/administration/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { getListedConsumer } from '../consumer/consumers.ts'
import { requireKnownPlan, requireKnownProvider } from '../consumer/known-values.ts'
import { actorOf } from '../operator/access.ts'

/** POST /consumers: creates a consumer with its credentials. */
export function createConsumer(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { body, caller } = request
      const { providerId: _, ...asked } = body
      const roles = [...new Set(asked.roles)]
      await requireKnownPlan(db, asked.usagePlan)
      const providerId = await requireKnownProvider(db, body)
      const services = [
        ...new Set(asked.services ?? (roles.includes('consumer') ? ['print-request'] : [])),
      ]
      const created = await create(
        db,
        { ...asked, roles, services, ...(providerId !== null && { providerId }) },
        { actor: actorOf(caller), now: now() },
      )
      if (created.kind === 'user-name-taken') {
        throw new Problem('user-name-taken', `Consumer ${asked.userName} already exists`)
      }
      const { consumerId, password, apiKey } = created
      addToLogLine(request, { createdConsumerId: consumerId })
      const consumer = await getListedConsumer(db, consumerId)
      return reply.code(201).send({ ...consumer, password, apiKey })
    },
  })
}
