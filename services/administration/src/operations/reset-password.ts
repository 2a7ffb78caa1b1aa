import { setPassword } from '@despatch/access/change-password'
import { generatePassword } from '@despatch/access/create-consumer'
import { resetPassword as operation } from '@despatch/contracts/administration/credential-operations'
import { consumerNotFound } from '@despatch/contracts/administration/problems'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { requireLocalAccount } from '../oidc/claims.ts'
import { actorOf } from '../operator/actor-of.ts'

/** POST /consumers/{consumerId}/reset-password: replaces the password with a generated one. */
export function resetPassword(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operation,
    handler: async ({ caller, params }) => {
      const { consumerId } = params
      requireLocalAccount(consumerId)
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
