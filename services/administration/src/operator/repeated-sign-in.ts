import type { IncomingHttpHeaders } from 'node:http'
import type { ConsoleSessions } from '@despatch/access/console-session'
import type { SignIn } from '@despatch/access/sign-in'
import type { Caller } from '@despatch/domain/access/caller'
import { repeatedUntil } from '@despatch/domain/access/repeated-sign-in'
import { isSubjectAccount } from '@despatch/domain/access/subject-account'
import { invalidFields, Problem } from '@despatch/domain/problem'
import { setRetryAfter } from '@despatch/http/set-retry-after'
import { findConsumer } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'

export type RepeatContext = {
  db: Db
  signIn: SignIn
  sessions: Pick<ConsoleSessions, 'find'>
  now: () => Date
}

/** The headers of an operation that takes the caller's own password. */
export const sendsRetryAfter = {
  sends: { 400: { 'Retry-After': 'Seconds until the caller may repeat its password again' } },
}

type Request = {
  caller: Caller
  body: { password?: string } | null | undefined
  headers: IncomingHttpHeaders
  ip: string
}

/**
 * Throws a Problem unless the caller has proved again who it is: by its own password, or by a sign-in at the OpenID
 * provider within the last 5 minutes. So an unattended session cannot take over accounts, its own included.
 */
export async function requireRepeatedSignIn(
  { caller, body, headers, ip }: Request,
  reply: Parameters<typeof setRetryAfter>[0],
  { db, signIn, sessions, now }: RepeatContext,
): Promise<void> {
  if (isSubjectAccount(caller.consumerId)) {
    const { authenticatedAt } = await sessions.find(headers)
    if (authenticatedAt && now() < repeatedUntil(authenticatedAt)) return
    throw new Problem(
      'not-permitted',
      'Sign in again by the OpenID provider to replace credentials. That lasts for 5 minutes',
    )
  }
  if (!body?.password) {
    throw passwordProblem('NotNull', 'Repeat your own password to replace credentials')
  }
  const operator = await findConsumer(db, caller.consumerId)
  if (!operator) throw new Error(`The caller ${caller.consumerId} is missing`)
  const { userName } = operator
  const outcome = await signIn({ userName, password: body.password, source: ip })
  if (outcome.kind === 'signed-in') return
  setRetryAfter(reply, outcome)
  const { retryAfterSeconds } = outcome
  const until =
    retryAfterSeconds === undefined
      ? ''
      : `, or there were too many incorrect attempts. Try again in ${retryAfterSeconds} s`
  throw passwordProblem('Invalid', `This is not your own password${until}`)
}

function passwordProblem(code: string, detail: string): Problem {
  return invalidFields([{ field: 'password', code, detail }])
}
