import { enableConsumer as enable } from '@despatch/access/disable-consumer'
import { renderConsumer } from '@despatch/contracts/administration/consumer'
import { enableConsumer as operation } from '@despatch/contracts/administration/operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getListedConsumer } from '../consumer/consumers.ts'
import { actorOf } from '../operator/actor-of.ts'

/** POST /consumers/{consumerId}/enable: a disabled consumer can sign in and call again. */
export function enableConsumer(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ caller, params }) => {
      const { consumerId } = params
      await enable(db, { consumerId, actor: actorOf(caller) })
      return renderConsumer(await getListedConsumer(db, consumerId))
    },
  })
}
