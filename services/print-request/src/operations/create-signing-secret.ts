import { randomBytes, randomUUID } from 'node:crypto'
import { createSigningSecret as operation } from '@despatch/contracts/print-request/callback-operations'
import { signingSecretsFull } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { insertSigningSecret } from '@despatch/store/callback/signing-secrets'
import type { Db } from '@despatch/store/database'

type CreateSigningSecretContext = { db: Db; sealSecret: (secret: string) => Uint8Array }

/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32

/**
 * POST /callback-signing-secrets: creates a secret that signs the consumer's callbacks. Only this response shows it. An
 * addition to the specification.
 */
export function createSigningSecret(api: Api, context: CreateSigningSecretContext): void {
  const { db, sealSecret } = context
  api.route({
    ...operation,
    handler: async ({ body, caller }, reply) => {
      const { consumerId } = caller
      const { overlapSeconds } = body
      const id = randomUUID()
      const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`
      const secretSealed = Buffer.from(sealSecret(secret))
      const created = await transact(db, async (tx) => {
        const outcome = await insertSigningSecret(tx, {
          id,
          consumerId,
          secretSealed,
          overlapSeconds,
        })
        if (outcome === 'full') throw signingSecretsFull()
        await insertAuditEvent(tx, {
          actor: `consumer:${consumerId}`,
          action: 'callback-secret.created',
          consumerId,
          detail: { secretId: id, overlapSeconds },
        })
        return outcome
      })
      return reply.code(201).send({ ...created, secret })
    },
  })
}
