import { renderConsumer } from '@despatch/contracts/administration/consumer'
import { listConsumers as operation } from '@despatch/contracts/administration/operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listConsumerPage } from '../consumer/consumers.ts'

/** GET /consumers: lists the consumers by user name. */
export function listConsumers(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { cursor, limit, userName } = request.query
      const consumers = await listConsumerPage(db, { userName, after: cursor, consumersMax: limit })
      return {
        consumers: consumers.map(renderConsumer),
        ...cursorAfter(consumers, limit, (consumer) => consumer.userName),
      }
    },
  })
}
