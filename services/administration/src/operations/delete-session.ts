import type { ConsoleSessions } from '@despatch/access/console-session'
import { deleteSession as operation } from '@despatch/contracts/administration/session-operations'
import type { Api } from '@despatch/http/api'
import { isOverHttps } from '../is-over-https.ts'

/** DELETE /sessions: signs out of the console. Open, so that one whose session is over may do so as well. */
export function deleteSession(api: Api, { sessions }: { sessions: ConsoleSessions }): void {
  api.route({
    ...operation,
    config: { open: true },
    handler: async (request, reply) =>
      reply
        .code(204)
        .header('set-cookie', sessions.end({ isSecure: isOverHttps(request) }))
        .send(null),
  })
}
