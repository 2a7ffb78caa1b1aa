import { type ApiKeyChange, changeApiKey } from '@despatch/access/change-api-key'
import { rotateApiKey as operation } from '@despatch/contracts/administration/credential-operations'
import { consumerNotFound } from '@despatch/contracts/administration/problems'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { findConsumer } from '@despatch/store/access/consumers'
import { requireLocalAccount } from '../oidc/claims.ts'
import { actorOf } from '../operator/access.ts'
import {
  type RepeatContext,
  requireRepeatedSignIn,
  sendsRetryAfter,
} from '../operator/repeated-sign-in.ts'

/** POST /consumers/{consumerId}/rotate-key: replaces the API key with a new one. */
export function rotateApiKey(api: Api, context: RepeatContext): void {
  const { db, now } = context
  api.route({
    ...operation,
    config: sendsRetryAfter,
    handler: async (request, reply) => {
      const { caller, params } = request
      const { consumerId } = params
      requireLocalAccount(consumerId)
      if (!(await findConsumer(db, consumerId))) throw consumerNotFound(consumerId)
      await requireRepeatedSignIn(request, reply, context)
      const change = await changeApiKey({ db, consumerId, actor: actorOf(caller), now })
      const { apiKey, apiKeyExpiresOn } = changed(change, consumerId)
      return { apiKey, apiKeyExpiry: apiKeyExpiresOn }
    },
  })
}

function changed(change: ApiKeyChange, consumerId: string) {
  switch (change.kind) {
    case 'changed':
      return change
    case 'refused':
      throw consumerNotFound(consumerId)
    case 'under-way':
      throw new Problem('api-key-changing', 'The API key is being changed. Try again in a minute')
    case 'unwanted':
      throw new Error('A requested change of an API key was reported as not requested')
  }
}
