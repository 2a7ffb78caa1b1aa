import { renderConsumer } from '@despatch/contracts/administration/consumer'
import { renderContract } from '@despatch/contracts/administration/contract'
import { getConsumer as operation } from '@despatch/contracts/administration/operations'
import { renderSigningSecret } from '@despatch/contracts/print-request/signing-secret'
import type { Api } from '@despatch/http/api'
import { listConsumerSecrets } from '@despatch/store/callback/signing-secrets'
import type { Db } from '@despatch/store/database'
import { getListedConsumer } from '../consumer/consumers.ts'
import { listAllContracts } from '../consumer/contracts.ts'

/** GET /consumers/{consumerId}: returns a consumer with its contracts and the ages of its keys. */
export function getConsumer(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { consumerId } = request.params
      const consumer = await getListedConsumer(db, consumerId)
      const contracts = await listAllContracts(db, consumerId)
      const secrets = await listConsumerSecrets(db, consumerId)
      return {
        ...renderConsumer(consumer),
        contracts: contracts.map(renderContract),
        signingSecrets: secrets.map(renderSigningSecret),
      }
    },
  })
}
