import type { SignIn } from '@despatch/access/sign-in'
import type { SigningKeySource } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { authenticate as operation } from '@despatch/contracts/thirdparty-access/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { setRetryAfter } from '@despatch/http/set-retry-after'

export type AuthenticateContext = {
  signIn: SignIn
  signingKey: SigningKeySource
  now: () => Date
}

/** POST /authenticate: returns a JWT for a user name and password. */
export function authenticate(api: Api, { signIn, signingKey, now }: AuthenticateContext): void {
  api.route({
    ...operation,
    config: { open: true, locks: true },
    handler: async (request, reply) => {
      const outcome = await signIn({ ...request.body, source: request.ip })
      if (outcome.kind === 'refused') {
        setRetryAfter(reply, outcome)
        throw new Problem('wrong-credentials', 'User name or password incorrect')
      }
      const { consumer } = outcome
      const { id: consumerId, roles, services, apiKeyExpiresOn, passwordExpiresOn } = consumer
      const holder = { consumerId, roles, services, generation: consumer.tokenGeneration }
      addToLogLine(request, { consumerId })
      return {
        'id-token': await issueToken(await signingKey(), holder, now()),
        apiKeyExpiry: apiKeyExpiresOn,
        passwordExpiry: passwordExpiresOn,
      }
    },
  })
}
