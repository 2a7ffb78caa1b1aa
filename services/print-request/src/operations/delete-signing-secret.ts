import { deleteSigningSecret as operation } from '@despatch/contracts/print-request/callback-operations'
import { signingSecretNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { removeSigningSecret } from '@despatch/store/callback/signing-secrets'
import type { Db } from '@despatch/store/database'

/** DELETE /callback-signing-secrets/{secretId}: the secret stops signing at once. An addition to the specification. */
export function deleteSigningSecret(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ caller, params }, reply) => {
      const { consumerId } = caller
      const { secretId } = params
      await transact(db, async (tx) => {
        const isDeleted = await removeSigningSecret(tx, consumerId, secretId)
        if (!isDeleted) throw signingSecretNotFound(secretId)
        await insertAuditEvent(tx, {
          actor: `consumer:${consumerId}`,
          action: 'callback-secret.deleted',
          consumerId,
          detail: { secretId },
        })
      })
      return reply.code(204).send(null)
    },
  })
}
