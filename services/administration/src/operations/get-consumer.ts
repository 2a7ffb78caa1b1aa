import { renderConsumer } from '@despatch/contracts/administration/consumer'
import { renderContract } from '@despatch/contracts/administration/contract'
import { getConsumer as operation } from '@despatch/contracts/administration/operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getListedConsumer } from '../consumer/consumers.ts'
import { listAllContracts } from '../consumer/contracts.ts'

/** GET /consumers/{consumerId}: returns a consumer with its contracts. */
export function getConsumer(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { consumerId } = request.params
      const consumer = await getListedConsumer(db, consumerId)
      const contracts = await listAllContracts(db, consumerId)
      return { ...renderConsumer(consumer), contracts: contracts.map(renderContract) }
    },
  })
}
