import { disableConsumer as disable } from '@despatch/access/disable-consumer'
import { renderConsumer } from '@despatch/contracts/administration/consumer'
import { disableConsumer as operation } from '@despatch/contracts/administration/operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getListedConsumer } from '../consumer/consumers.ts'
import { refuseOwnAccess, requireMayDisable } from '../operator/access.ts'
import { actorOf } from '../operator/actor-of.ts'

/** POST /consumers/{consumerId}/disable: the consumer can no longer sign in or call. */
export function disableConsumer(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { caller, params } = request
      const { consumerId } = params
      requireMayDisable(caller, await getListedConsumer(db, consumerId))
      refuseOwnAccess(caller, consumerId)
      await disable(db, { consumerId, actor: actorOf(caller) })
      return renderConsumer(await getListedConsumer(db, consumerId))
    },
  })
}
