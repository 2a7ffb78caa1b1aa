import { untilCachesExpire } from '@despatch/access/consumer-cache'
import {
  disableConsumer as disable,
  enableConsumer as enable,
} from '@despatch/access/disable-consumer'
import { endTokens as end } from '@despatch/access/end-tokens'
import * as credentialOperations from '@despatch/contracts/administration/credential-operations'
import * as operations from '@despatch/contracts/administration/operations'
import { cursorAfter } from '@despatch/contracts/page'
import { maskSecrets } from '@despatch/contracts/print-request/signing-secret'
import type { Api } from '@despatch/http/api'
import { listConsumerSecrets } from '@despatch/store/callback/signing-secrets'
import type { Db } from '@despatch/store/database'
import { changeConsumer, hasSameNames, updateConsumerRights } from '../consumer/change-consumer.ts'
import { getListedConsumer, listConsumerPage } from '../consumer/consumers.ts'
import { listAllContracts } from '../consumer/contracts.ts'
import { requireKnownProvider } from '../consumer/known-values.ts'
import { actorOf, refuseOwnAccess, requireMayDisable } from '../operator/access.ts'

/** GET /consumers: lists the consumers by user name. */
export function listConsumers(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listConsumers,
    handler: async (request) => {
      const { cursor, limit, userName } = request.query
      const consumers = await listConsumerPage(db, { userName, after: cursor, consumersMax: limit })
      return {
        consumers,
        ...cursorAfter(consumers, limit, (consumer) => consumer.userName),
      }
    },
  })
}

/** GET /consumers/{consumerId}: returns a consumer with its contracts and the ages of its keys. */
export function getConsumer(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.getConsumer,
    handler: async (request) => {
      const { consumerId } = request.params
      const consumer = await getListedConsumer(db, consumerId)
      return {
        ...consumer,
        contracts: await listAllContracts(db, consumerId),
        signingSecrets: maskSecrets(await listConsumerSecrets(db, consumerId)),
      }
    },
  })
}

/** POST /consumers/{consumerId}/disable: the consumer can no longer sign in or call. */
export function disableConsumer(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.disableConsumer,
    handler: async (request) => {
      const { caller, params } = request
      const { consumerId } = params
      requireMayDisable(caller, await getListedConsumer(db, consumerId))
      refuseOwnAccess(caller, consumerId)
      await disable(db, { consumerId, actor: actorOf(caller) })
      return getListedConsumer(db, consumerId)
    },
  })
}

/** POST /consumers/{consumerId}/enable: a disabled consumer can sign in and call again. */
export function enableConsumer(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.enableConsumer,
    handler: async ({ caller, params }) => {
      const { consumerId } = params
      await enable(db, { consumerId, actor: actorOf(caller) })
      return getListedConsumer(db, consumerId)
    },
  })
}

/** POST /consumers/{consumerId}/end-tokens: the consumer must sign in again, with its present credentials. */
export function endTokens(api: Api, { db }: { db: Db }): void {
  api.route({
    ...credentialOperations.endTokens,
    handler: async ({ caller, params }) => {
      const { consumerId } = params
      const consumer = await getListedConsumer(db, consumerId)
      requireMayDisable(caller, consumer)
      await end(db, { consumerId, actor: actorOf(caller) })
      return consumer
    },
  })
}

/** PUT /consumers/{consumerId}/services: sets the services that the consumer may use. */
export function setServices(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.setServices,
    handler: async (request) => {
      const { consumerId } = request.params
      const services = [...new Set(request.body.services)]
      return changeConsumer(db, {
        consumerId,
        actor: actorOf(request.caller),
        action: 'consumer.services-set',
        make: async (tx, known) => {
          if (hasSameNames(known.services, services)) return undefined
          await updateConsumerRights(tx, consumerId, { services })
          return { services, before: known.services }
        },
      })
    },
  })
}

/** PUT /consumers/{consumerId}/roles: sets the consumer's roles. */
export function setRoles(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.setRoles,
    handler: async (request) => {
      const { caller, params, body } = request
      const { consumerId } = params
      const roles = [...new Set(body.roles)]
      const providerId = await requireKnownProvider(db, body)
      if (!roles.includes('admin')) refuseOwnAccess(caller, consumerId)
      return changeConsumer(db, {
        consumerId,
        actor: actorOf(caller),
        action: 'consumer.roles-set',
        make: async (tx, known) => {
          if (hasSameNames(known.roles, roles) && known.providerId === providerId) return undefined
          await updateConsumerRights(tx, consumerId, { roles, providerId })
          return { roles, before: known.roles, ...(providerId !== null && { providerId }) }
        },
      })
    },
  })
}

/**
 * PUT /consumers/{consumerId}/networks: sets the networks that the consumer may call from. Answers after more than a
 * second, when every process uses them, also if nothing changed.
 */
export function setNetworks(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.setNetworks,
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
      return consumer
    },
  })
}
