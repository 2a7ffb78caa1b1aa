import { setPassword } from '@despatch/access/change-password'
import { generatePassword } from '@despatch/access/create-consumer'
import { resetPassword as operation } from '@despatch/contracts/administration/credential-operations'
import { consumerNotFound } from '@despatch/contracts/administration/problems'
import type { Api } from '@despatch/http/api'
import { findConsumer } from '@despatch/store/access/consumers'
import { requireLocalAccount } from '../oidc/claims.ts'
import { actorOf } from '../operator/access.ts'
import {
  type RepeatContext,
  requireRepeatedSignIn,
  sendsRetryAfter,
} from '../operator/repeated-sign-in.ts'

/** POST /consumers/{consumerId}/reset-password: replaces the password with a generated one. */
export function resetPassword(api: Api, context: RepeatContext): void {
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
      const password = generatePassword()
      const order = { consumerId, newPassword: password, actor: actorOf(caller), now: now() }
      const outcome = await setPassword(db, order)
      switch (outcome.kind) {
        case 'changed':
          return { password, passwordExpiry: outcome.passwordExpiresOn }
        case 'absent':
          throw consumerNotFound(consumerId)
        case 'refused':
          throw new Error('A generated password violates the password policy')
      }
    },
  })
}
