import { listSigningSecrets as operation } from '@despatch/contracts/print-request/callback-operations'
import { maskSecrets } from '@despatch/contracts/print-request/signing-secret'
import type { Api } from '@despatch/http/api'
import { listConsumerSecrets } from '@despatch/store/callback/signing-secrets'
import type { Db } from '@despatch/store/database'

/**
 * GET /callback-signing-secrets: lists the secrets that sign the consumer's callbacks now, masked. An addition to the
 * specification.
 */
export function listSigningSecrets(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ caller }) => {
      return { signingSecrets: maskSecrets(await listConsumerSecrets(db, caller.consumerId)) }
    },
  })
}
