import { renderContract } from '@despatch/contracts/administration/contract'
import { listContracts as operation } from '@despatch/contracts/administration/operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getListedConsumer } from '../consumer/consumers.ts'
import { listAllContracts } from '../consumer/contracts.ts'

/** GET /consumers/{consumerId}/contracts: lists the consumer's contracts. */
export function listContracts(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { id } = await getListedConsumer(db, request.params.consumerId)
      const contracts = await listAllContracts(db, id)
      return { contracts: contracts.map(renderContract) }
    },
  })
}
