import type { ConsoleSessions } from '@despatch/access/console-session'
import { isOverHttps } from '@despatch/access/is-over-https'
import type { SignIn } from '@despatch/access/sign-in'
import type { SignInRefusal } from '@despatch/access/sign-in-gate'
import { type Environment, renderSession } from '@despatch/contracts/administration/session'
import { createSession as operation } from '@despatch/contracts/administration/session-operations'
import type { AuditAction } from '@despatch/domain/access/audit-actions'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { setRetryAfter } from '@despatch/http/set-retry-after'
import { type AuditEvent, insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import type { Oidc } from '../oidc/oidc.ts'
import { requireOperator } from '../operator/access.ts'

type CreateSessionContext = {
  db: Db
  signIn: SignIn
  sessions: ConsoleSessions
  environment: Environment
  oidc: Oidc | undefined
}

/** POST /sessions: signs an operator in to the console. */
export function createSession(
  api: Api,
  { db, signIn, sessions, environment, oidc }: CreateSessionContext,
): void {
  api.route({
    ...operation,
    config: { open: true, locks: true, sends: { 201: { 'Set-Cookie': 'The session' } } },
    handler: async (request, reply) => {
      if (oidc && !oidc.allowsLocalAccounts) {
        throw new Problem('not-permitted', `Sign in with ${oidc.provider.name}`)
      }
      const outcome = await signIn({ ...request.body, source: request.ip })
      if (outcome.kind === 'refused') {
        setRetryAfter(reply, outcome)
        throw new Problem('wrong-credentials', describeRefusal(outcome))
      }
      const { consumer } = outcome
      addToLogLine(request, { consumerId: consumer.id })
      const { cookie, ...session } = sessions.begin(consumer, {
        isSecure: isOverHttps(request.headers),
      })
      try {
        requireOperator(session.caller)
      } catch (refusal) {
        await recordRefusedSignIn(db, consumer.id)
        throw refusal
      }
      await recordSignIn(db, consumer.id)
      return reply.code(201).header('set-cookie', cookie).send(renderSession(session, environment))
    },
  })
}

function describeRefusal({ retryAfterSeconds }: SignInRefusal): string {
  const text = 'User name or password incorrect'
  if (retryAfterSeconds === undefined) return text
  return `${text}, or too many incorrect attempts. Try again in ${retryAfterSeconds} s`
}

/** Records a sign-in to the console. */
function recordSignIn(db: Db, consumerId: string): Promise<void> {
  return record(db, 'console.signed-in', `consumer:${consumerId}`, { consumerId })
}

/** Records a sign-in with valid credentials of a consumer that may not use the console. */
function recordRefusedSignIn(db: Db, consumerId: string): Promise<void> {
  return record(db, 'console.sign-in-refused', `consumer:${consumerId}`, { consumerId })
}

/** Records a failed sign-in. The user name is recorded only if it belongs to a consumer. */
export function recordFailedSignIn(db: Db, consumerId: string | undefined): Promise<void> {
  return record(
    db,
    'console.sign-in-failed',
    'user',
    consumerId === undefined ? {} : { consumerId },
  )
}

function record(
  db: Db,
  action: AuditAction,
  actor: string,
  about: Pick<AuditEvent, 'consumerId'>,
): Promise<void> {
  return insertAuditEvent(db, { actor, action, ...about })
}
