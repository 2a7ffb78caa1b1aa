import { listSigningSecrets as operation } from '@despatch/contracts/print-request/callback-operations'
import { renderSigningSecret } from '@despatch/contracts/print-request/signing-secret'
import type { Api } from '@despatch/http/api'
import { findSigningSecrets } from '@despatch/store/callback/signing-secrets'
import type { Db } from '@despatch/store/database'

/**
 * GET /callback-signing-secrets: lists the secrets that sign the consumer's callbacks now, masked. An addition of ours.
 */
export function listSigningSecrets(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ caller }) => {
      const secrets = await findSigningSecrets(db, caller.consumerId)
      return { signingSecrets: secrets.map(renderSigningSecret) }
    },
  })
}
