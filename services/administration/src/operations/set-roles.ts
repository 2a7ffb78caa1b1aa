import { renderConsumer } from '@despatch/contracts/administration/consumer'
import { setRoles as operation } from '@despatch/contracts/administration/operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { changeConsumer, hasSameNames, updateConsumerRights } from '../consumer/change-consumer.ts'
import { requireKnownProvider } from '../consumer/known-values.ts'
import { refuseOwnAccess } from '../operator/access.ts'
import { actorOf } from '../operator/actor-of.ts'

/** PUT /consumers/{consumerId}/roles: sets the consumer's roles. */
export function setRoles(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { caller, params, body } = request
      const { consumerId } = params
      const roles = [...new Set(body.roles)]
      const providerId = await requireKnownProvider(db, body)
      if (!roles.includes('admin')) refuseOwnAccess(caller, consumerId)
      const consumer = await changeConsumer(db, {
        consumerId,
        actor: actorOf(caller),
        action: 'consumer.roles-set',
        make: async (tx, known) => {
          if (hasSameNames(known.roles, roles) && known.providerId === providerId) return undefined
          await updateConsumerRights(tx, consumerId, { roles, providerId })
          return { roles, before: known.roles, ...(providerId !== null && { providerId }) }
        },
      })
      return renderConsumer(consumer)
    },
  })
}
