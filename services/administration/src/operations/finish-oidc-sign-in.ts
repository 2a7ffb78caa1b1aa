import type { ConsoleSessions } from '@despatch/access/console-session'
import { isOverHttps } from '@despatch/access/is-over-https'
import { type Environment, renderSession } from '@despatch/contracts/administration/session'
import { finishOidcSignIn as operation } from '@despatch/contracts/administration/session-operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { admitSubject } from '../oidc/admit-subject.ts'
import { accountOf, rolesOf } from '../oidc/claims.ts'
import { foreignResponse } from '../oidc/failure.ts'
import { callProvider, type Oidc, problemOf, requireOidc } from '../oidc/oidc.ts'

type Context = {
  db: Db
  oidc: Oidc | undefined
  sessions: ConsoleSessions
  environment: Environment
}

/**
 * POST /oidc-sign-ins/finish: signs a person in to the console whom the OpenID provider has authenticated. A repeat is
 * refused, because the provider accepts each code once.
 */
export function finishOidcSignIn(api: Api, { db, oidc, sessions, environment }: Context): void {
  api.route({
    ...operation,
    config: { open: true, sends: { 201: { 'Set-Cookie': 'The session' } } },
    handler: async (request, reply) => {
      const { provider, attempts, settings } = requireOidc(oidc)
      const { headers, body } = request
      const attempt = attempts.find(headers)
      if (attempt?.state !== body.state) throw problemOf(request, foreignResponse)
      const { claims, authenticatedAt, ...subject } = await callProvider(request, provider, () =>
        provider.finish(attempt, body),
      )
      const account = accountOf(subject, claims, rolesOf(claims, settings))
      const admission = await admitSubject(db, account)
      if (admission.kind === 'refused') {
        addToLogLine(request, { oidcFailure: admission.why })
        throw new Problem('not-permitted', describeRefusal(admission.why, provider.name))
      }
      addToLogLine(request, { consumerId: account.id })
      const { cookie, ...session } = sessions.begin(admission.consumer, {
        isSecure: isOverHttps(headers),
        authenticatedAt,
      })
      return reply
        .code(201)
        .header('set-cookie', [cookie, attempts.drop(headers)])
        .send(renderSession(session, environment))
    },
  })
}

function describeRefusal(why: 'no-role' | 'disabled', name: string): string {
  if (why === 'disabled') return 'Your account in Despatch is disabled. Ask an administrator.'
  return `${name} gives your account no role in Despatch. Ask an administrator for one, then sign in again.`
}
