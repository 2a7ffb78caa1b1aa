import type { SignIn } from '@despatch/access/sign-in'
import type { SigningKeySource } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { authenticate as operation } from '@despatch/contracts/thirdparty-access/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'

export type AuthenticateContext = {
  signIn: SignIn
  signingKey: SigningKeySource
  now: () => Date
}

/** POST /authenticate: returns a JWT for a user name and password. */
export function authenticate(api: Api, { signIn, signingKey, now }: AuthenticateContext): void {
  api.route({
    ...operation,
    config: { open: true },
    handler: async (request) => {
      const consumer = await signIn({ ...request.body, source: request.ip })
      if (!consumer) throw new Problem('wrong-credentials', 'User name or password incorrect')
      const { id: consumerId, roles, services, apiKeyExpiresOn, passwordExpiresOn } = consumer
      addToLogLine(request, { consumerId })
      return {
        'id-token': await issueToken(await signingKey(), { consumerId, roles, services }, now()),
        apiKeyExpiry: apiKeyExpiresOn,
        passwordExpiry: passwordExpiresOn,
      }
    },
  })
}
