import type { ConsoleSessions } from '@despatch/access/console-session'
import { deleteSession as operation } from '@despatch/contracts/administration/session-operations'
import { isSubjectAccount } from '@despatch/domain/access/subject-account'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { describeOidcFailure } from '../oidc/failure.ts'
import type { Oidc } from '../oidc/oidc.ts'

/**
 * DELETE /sessions: signs out of the console and invalidates each copy of the cookie. The route is open, so that a
 * caller with an expired session can sign out as well. While the OpenID provider is away, its session continues.
 */
export function deleteSession(
  api: Api,
  { sessions, oidc }: { sessions: ConsoleSessions; oidc: Oidc | undefined },
): void {
  api.route({
    ...operation,
    config: {
      open: true,
      sends: {
        200: { 'Set-Cookie': 'Deletes the session' },
        204: { 'Set-Cookie': 'Deletes the session' },
      },
    },
    handler: async (request, reply) => {
      const { cookie, consumerId } = await sessions.end(request.headers)
      reply.header('set-cookie', cookie)
      const url =
        oidc && isSubjectAccount(consumerId) ? await findEndSessionUrl(request, oidc) : undefined
      return url ? reply.send({ endSessionUrl: url.href }) : reply.code(204).send(null)
    },
  })
}

async function findEndSessionUrl(
  request: Parameters<typeof addToLogLine>[0],
  { provider }: Oidc,
): Promise<URL | undefined> {
  try {
    return await provider.endSessionUrl()
  } catch (error) {
    const failure = describeOidcFailure(error, provider.name)
    if (!failure) throw error
    addToLogLine(request, { oidcFailure: failure.code })
    return undefined
  }
}
