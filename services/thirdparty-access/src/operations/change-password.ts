import { replacePassword } from '@despatch/access/change-password'
import type { PasswordRecovery, RecoveryRequest } from '@despatch/access/recover-password'
import type { SignIn } from '@despatch/access/sign-in'
import type { SignInAttempt } from '@despatch/access/sign-in-gate'
import { changePassword as operation } from '@despatch/contracts/thirdparty-access/operations'
import { sameAsCurrentFault } from '@despatch/domain/access/password-policy'
import { invalidFields, Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
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
    config: { open: true },
    handler: async (request) => {
      const { userName, newPassword, password, verifyCode } = request.body
      const attempt = { userName, newPassword, source: request.ip }
      const consumerId =
        password === undefined
          ? await byVerifyCode(context, { ...attempt, verifyCode: verifyCode! })
          : await byPassword(context, { ...attempt, password })
      addToLogLine(request, { consumerId })
      return {}
    },
  })
}

type PasswordRequest = SignInAttempt & { password: string; newPassword: string }

async function byPassword(
  { db, signIn, now }: ChangePasswordContext,
  { newPassword, ...attempt }: PasswordRequest,
): Promise<string> {
  const consumer = await signIn(attempt)
  if (!consumer) throw wrongCredentials()
  const actor = `consumer:${consumer.id}`
  const order = { consumer, newPassword, actor, by: 'password', now: now() } as const
  // of two concurrent changes, the later one has presented a password that is no longer current
  if (!(await replacePassword(db, order))) throw wrongCredentials()
  return consumer.id
}

async function byVerifyCode(
  { recovery }: ChangePasswordContext,
  request: RecoveryRequest,
): Promise<string> {
  const outcome = await recovery.recover(request)
  switch (outcome.kind) {
    case 'changed':
      return outcome.consumerId
    case 'same-as-current': {
      const { rule, code } = sameAsCurrentFault
      throw invalidFields([{ field: 'newPassword', code, detail: `newPassword ${rule}` }])
    }
    case 'refused':
      throw wrongCredentials()
  }
}

function wrongCredentials(): Problem {
  return new Problem('wrong-credentials', 'User name, password or code incorrect')
}
