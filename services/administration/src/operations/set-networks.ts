import { untilCachesExpire } from '@despatch/access/consumer-cache'
import { renderConsumer } from '@despatch/contracts/administration/consumer'
import { setNetworks as operation } from '@despatch/contracts/administration/operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { changeConsumer, hasSameNames, updateConsumerRights } from '../consumer/change-consumer.ts'
import { actorOf } from '../operator/actor-of.ts'

/**
 * PUT /consumers/{consumerId}/networks: sets the networks that the consumer may call from. Answers after more than a
 * second, when every process uses them, also if nothing changed.
 */
export function setNetworks(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { consumerId } = request.params
      const networks = [...new Set(request.body.networks)]
      const consumer = await changeConsumer(db, {
        consumerId,
        actor: actorOf(request.caller),
        action: 'consumer.networks-set',
        make: async (tx, known) => {
          if (hasSameNames(known.networks, networks)) return undefined
          await updateConsumerRights(tx, consumerId, { networks })
          return { networks, before: known.networks }
        },
      })
      await untilCachesExpire()
      return renderConsumer(consumer)
    },
  })
}
