import type { ConsoleSessions } from '@despatch/access/console-session'
import type { SignIn } from '@despatch/access/sign-in'
import { renderSession } from '@despatch/contracts/administration/session'
import { createSession as operation } from '@despatch/contracts/administration/session-operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { isOverHttps } from '../is-over-https.ts'
import { requireOperator } from '../may-administer.ts'

export type CreateSessionContext = { signIn: SignIn; sessions: ConsoleSessions }

/** POST /sessions: signs an operator in to the console. */
export function createSession(api: Api, { signIn, sessions }: CreateSessionContext): void {
  api.route({
    ...operation,
    config: { open: true },
    handler: async (request, reply) => {
      const consumer = await signIn({ ...request.body, source: request.ip })
      if (!consumer) throw new Problem('wrong-credentials', 'User name or password incorrect')
      addToLogLine(request, { consumerId: consumer.id })
      const { cookie, ...session } = sessions.begin(consumer, { isSecure: isOverHttps(request) })
      requireOperator(session.caller)
      return reply
        .code(201)
        .header('set-cookie', cookie)
        .header('cache-control', 'no-store')
        .send(renderSession(session))
    },
  })
}
