import { isExpired } from '@despatch/access/expiry'
import { verifyPassword } from '@despatch/access/passwords'
import type { SigningKeySource } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { authenticate as operation } from '@despatch/contracts/thirdparty-access/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { type Consumer, findConsumerByUserName } from '@despatch/store/consumers'
import type { Db } from '@despatch/store/database'

export type AuthenticateContext = {
  db: Db
  signingKey: SigningKeySource
  /** The hash of a password that nobody has: checked for a user who is not there, so that both take the same time. */
  nobodysPasswordHash: string
  now: () => Date
}

/** POST /authenticate: a JWT for a user name and password. */
export function authenticate(api: Api, context: AuthenticateContext): void {
  const { db, signingKey, nobodysPasswordHash, now } = context
  api.route({
    ...operation,
    config: { open: true },
    handler: async (request) => {
      const { userName, password } = request.body
      const consumer = await findConsumerByUserName(db, userName)
      const isRight = await verifyPassword(consumer?.passwordHash ?? nobodysPasswordHash, password)
      if (!isRight || !maySignIn(consumer, now())) {
        throw new Problem('wrong-credentials', 'User name or password incorrect')
      }
      addToLogLine(request, { consumerId: consumer.id })
      const holder = { consumerId: consumer.id, roles: consumer.roles }
      return {
        'id-token': await issueToken(await signingKey(), holder, now()),
        apiKeyExpiry: consumer.apiKeyExpiresOn,
        passwordExpiry: consumer.passwordExpiresOn,
      }
    },
  })
}

/** An expired password and a disabled consumer are told as wrong credentials. */
function maySignIn(consumer: Consumer | undefined, now: Date): consumer is Consumer {
  return (
    consumer !== undefined &&
    consumer.disabledAt === null &&
    !isExpired(consumer.passwordExpiresOn, now)
  )
}
