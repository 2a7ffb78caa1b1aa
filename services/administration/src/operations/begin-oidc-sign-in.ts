import { beginOidcSignIn as operation } from '@despatch/contracts/administration/session-operations'
import type { Api } from '@despatch/http/api'
import { callProvider, type Oidc, requireOidc } from '../oidc/oidc.ts'

/** POST /oidc-sign-ins: begins a sign-in to the console by the OpenID provider. */
export function beginOidcSignIn(api: Api, { oidc }: { oidc: Oidc | undefined }): void {
  api.route({
    ...operation,
    config: { open: true, sends: { 201: { 'Set-Cookie': 'The sign-in, for 15 minutes' } } },
    handler: async (request, reply) => {
      const { provider, attempts } = requireOidc(oidc)
      const { url, attempt } = await callProvider(request, provider, () =>
        provider.begin({ again: request.body?.again ?? false }),
      )
      const cookie = attempts.keep(request.headers, attempt)
      return reply.code(201).header('set-cookie', cookie).send({ authorizationUrl: url.href })
    },
  })
}
