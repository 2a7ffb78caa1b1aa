import { endTokens as end } from '@despatch/access/end-tokens'
import { renderConsumer } from '@despatch/contracts/administration/consumer'
import { endTokens as operation } from '@despatch/contracts/administration/credential-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getListedConsumer } from '../consumer/consumers.ts'
import { requireMayDisable } from '../operator/access.ts'
import { actorOf } from '../operator/actor-of.ts'

/** POST /consumers/{consumerId}/end-tokens: the consumer must sign in again, with its present credentials. */
export function endTokens(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ caller, params }) => {
      const { consumerId } = params
      const consumer = await getListedConsumer(db, consumerId)
      requireMayDisable(caller, consumer)
      await end(db, { consumerId, actor: actorOf(caller) })
      return renderConsumer(consumer)
    },
  })
}
