import { renderConsumer } from '@despatch/contracts/administration/consumer'
import { setServices as operation } from '@despatch/contracts/administration/operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { changeConsumer, hasSameNames, updateConsumerRights } from '../consumer/change-consumer.ts'
import { actorOf } from '../operator/actor-of.ts'

/** PUT /consumers/{consumerId}/services: sets the services that the consumer may use. */
export function setServices(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { consumerId } = request.params
      const services = [...new Set(request.body.services)]
      const consumer = await changeConsumer(db, {
        consumerId,
        actor: actorOf(request.caller),
        action: 'consumer.services-set',
        make: async (tx, known) => {
          if (hasSameNames(known.services, services)) return undefined
          await updateConsumerRights(tx, consumerId, { services })
          return { services, before: known.services }
        },
      })
      return renderConsumer(consumer)
    },
  })
}
