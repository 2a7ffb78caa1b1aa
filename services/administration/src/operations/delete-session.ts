import type { ConsoleSessions } from '@despatch/access/console-session'
import { deleteSession as operation } from '@despatch/contracts/administration/session-operations'
import type { Api } from '@despatch/http/api'

/**
 * DELETE /sessions: signs out of the console and invalidates each copy of the cookie. The route is open, so that a
 * caller with an expired session can sign out as well.
 */
export function deleteSession(api: Api, { sessions }: { sessions: ConsoleSessions }): void {
  api.route({
    ...operation,
    config: { open: true, sends: { 204: { 'Set-Cookie': 'Deletes the session' } } },
    handler: async ({ headers }, reply) =>
      reply
        .code(204)
        .header('set-cookie', await sessions.end(headers))
        .send(null),
  })
}
