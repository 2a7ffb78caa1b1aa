import type { ConsoleSessions } from '@despatch/access/console-session'
import { type Environment, renderSession } from '@despatch/contracts/administration/session'
import { getSession as operation } from '@despatch/contracts/administration/session-operations'
import type { Api } from '@despatch/http/api'

type Context = { sessions: ConsoleSessions; environment: Environment }

/** GET /sessions: returns the operator who is signed in to the console, and the environment. */
export function getSession(api: Api, { sessions, environment }: Context): void {
  api.route({
    ...operation,
    handler: async ({ headers }) => renderSession(await sessions.find(headers), environment),
  })
}
