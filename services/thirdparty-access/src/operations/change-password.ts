import { replacePassword } from '@despatch/access/change-password'
import type { PasswordRecovery, RecoveryRequest } from '@despatch/access/recover-password'
import type { SignIn } from '@despatch/access/sign-in'
import type { SignInAttempt, SignInRefusal } from '@despatch/access/sign-in-gate'
import { changePassword as operation } from '@despatch/contracts/thirdparty-access/operations'
import { sameAsCurrentFault } from '@despatch/domain/access/password-policy'
import { invalidFields, Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { setRetryAfter } from '@despatch/http/set-retry-after'
import type { Db } from '@despatch/store/database'

export type ChangePasswordContext = {
  db: Db
  signIn: SignIn
  recovery: Pick<PasswordRecovery, 'recover'>
  now: () => Date
}

/** POST /password: sets a new password, in exchange for the current one or a recovery code. */
export function changePassword(api: Api, context: ChangePasswordContext): void {
  api.route({
    ...operation,
    config: { open: true, locks: true },
    handler: async (request, reply) => {
      const { userName, newPassword, password, verifyCode, endTokens } = request.body
      const attempt = { userName, newPassword, source: request.ip }
      const outcome =
        password === undefined
          ? await byVerifyCode(context, { ...attempt, verifyCode: verifyCode! })
          : await byPassword(context, { ...attempt, password, endTokens })
      if (outcome.kind === 'refused') {
        setRetryAfter(reply, outcome)
        throw new Problem('not-authenticated', 'User name, password or code incorrect')
      }
      addToLogLine(request, { consumerId: outcome.consumerId })
      return {}
    },
  })
}

type PasswordRequest = SignInAttempt & {
  password: string
  newPassword: string
  endTokens: boolean | undefined
}
type ChangeOutcome = { kind: 'changed'; consumerId: string } | SignInRefusal

async function byPassword(
  { db, signIn, now }: ChangePasswordContext,
  { newPassword, endTokens, ...attempt }: PasswordRequest,
): Promise<ChangeOutcome> {
  const outcome = await signIn(attempt)
  if (outcome.kind === 'refused') return outcome
  const { consumer } = outcome
  const consumerId = consumer.id
  const actor = `consumer:${consumerId}`
  const by = 'password' as const
  const { source } = attempt
  const order = { consumer, newPassword, actor, by, endTokens, source, now: now() }
  // of two concurrent changes, the later one has presented a password that is no longer current
  if (!(await replacePassword(db, order))) return { kind: 'refused' }
  return { kind: 'changed', consumerId }
}

async function byVerifyCode(
  { recovery }: ChangePasswordContext,
  request: RecoveryRequest,
): Promise<ChangeOutcome> {
  const outcome = await recovery.recover(request)
  if (outcome.kind !== 'same-as-current') return outcome
  const { rule, code } = sameAsCurrentFault
  throw invalidFields([{ field: 'newPassword', code, detail: `newPassword ${rule}` }])
}
