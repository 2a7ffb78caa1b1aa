import type { ConsoleSessions } from '@despatch/access/console-session'
import { renderSession } from '@despatch/contracts/administration/session'
import { getSession as operation } from '@despatch/contracts/administration/session-operations'
import type { Api } from '@despatch/http/api'

/** GET /sessions: returns the operator who is signed in to the console. */
export function getSession(api: Api, { sessions }: { sessions: ConsoleSessions }): void {
  api.route({
    ...operation,
    handler: async ({ headers }) => renderSession(await sessions.find(headers)),
  })
}
