import type { PasswordRecovery } from '@despatch/access/recover-password'
import { requestRecoveryCode as operation } from '@despatch/contracts/thirdparty-access/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { RecoveryMail } from '../recovery-mail.ts'

export type RequestRecoveryCodeContext = {
  recovery: Pick<PasswordRecovery, 'findEntitled'>
  /** Absent: there is no way to send mail. */
  recoveryMail: Pick<RecoveryMail, 'start'> | undefined
}

/**
 * POST /new-password: has a recovery code mailed. Who is known is not to be learnt: one look-up, then the same answer for
 * all; the code is made and mailed afterwards. The log line does not tell either.
 */
export function requestRecoveryCode(
  api: Api,
  { recovery, recoveryMail }: RequestRecoveryCodeContext,
): void {
  api.route({
    ...operation,
    config: { open: true },
    handler: async (request, reply) => {
      if (!recoveryMail) {
        throw new Problem('unavailable', 'Recovery codes cannot be sent: no mail server is set up')
      }
      const consumer = await recovery.findEntitled(request.body)
      if (consumer) reply.raw.once('close', () => recoveryMail.start(consumer))
      return {}
    },
  })
}
