import type { ConsoleSessions } from '@despatch/access/console-session'
import { type Environment, renderSession } from '@despatch/contracts/administration/session'
import * as operations from '@despatch/contracts/administration/session-operations'
import type { Api } from '@despatch/http/api'
import { callProvider, type Oidc, requireOidc } from '../oidc/oidc.ts'

/** GET /sign-in-methods: returns how operators may sign in to the console. */
export function listSignInMethods(api: Api, { oidc }: { oidc: Oidc | undefined }): void {
  const { provider, allowsLocalAccounts: localAccounts = true } = oidc ?? {}
  api.route({
    ...operations.listSignInMethods,
    config: { open: true },
    handler: async () => ({ localAccounts, ...(provider && { oidc: { name: provider.name } }) }),
  })
}

type Context = { sessions: ConsoleSessions; environment: Environment }

/** GET /sessions: returns the operator who is signed in to the console, and the environment. */
export function getSession(api: Api, { sessions, environment }: Context): void {
  api.route({
    ...operations.getSession,
    handler: async ({ headers }) => renderSession(await sessions.find(headers), environment),
  })
}

/** POST /oidc-sign-ins: begins a sign-in to the console by the OpenID provider. */
export function beginOidcSignIn(api: Api, { oidc }: { oidc: Oidc | undefined }): void {
  api.route({
    ...operations.beginOidcSignIn,
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
