import type { PasswordRecovery } from '@despatch/access/recover-password'
import { requestRecoveryCode as operation } from '@despatch/contracts/thirdparty-access/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { RecoveryMail } from '../mail/recovery-mail.ts'

export type RequestRecoveryCodeContext = {
  recovery: Pick<PasswordRecovery, 'findEntitled'>
  /** Undefined if no way to send mail is configured. */
  recoveryMail: Pick<RecoveryMail, 'start'> | undefined
}

/**
 * POST /new-password: sends a recovery code by mail. Callers must not learn which user names exist. So there is one
 * look-up and the same response for all; the code is created and mailed after the response. The log line does not
 * reveal it either.
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
