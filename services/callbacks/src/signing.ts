import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { createGroupLookup } from '@despatch/store/group-lookup'

/** A message as a consumer verifies it: the very bytes that are sent. */
export type SignedMessage = { id: string; timestampSeconds: number; body: Uint8Array }

/**
 * Signs a message with each of the secrets (Standard Webhooks 1.0): `v1,` and the HMAC-SHA256 of id, timestamp and body,
 * separated by a blank. Undefined without secrets.
 */
export function signMessage(
  { id, timestampSeconds, body }: SignedMessage,
  secrets: readonly KeyObject[],
): string | undefined {
  if (secrets.length === 0) return undefined
  const beginning = `${id}.${timestampSeconds}.`
  return secrets
    .map((secret) => {
      const digest = createHmac('sha256', secret).update(beginning).update(body).digest('base64')
      return `v1,${digest}`
    })
    .join(' ')
}

/** The live secrets of a consumer, unsealed. Rejects when they cannot be read. */
export type SecretsOf = (consumerId: string) => Promise<readonly KeyObject[]>

export type SecretsOptions = {
  findSealed: (consumerIds: readonly string[]) => Promise<ReadonlyMap<string, readonly Buffer[]>>
  /** To the text that the consumer was shown: `whsec_` and base64. */
  unseal: (sealed: Buffer) => string
}

/** How long a secret that has ended may go on signing, and one that was made may not sign yet. */
const secretsAgeMsMax = 2_000
const consumersMax = 1_000
const secretPrefix = /^whsec_/

/** Finds secrets for many calls at once, and remembers them for two seconds. */
export function createSecretsOf({ findSealed, unseal }: SecretsOptions): SecretsOf {
  const lookUp = createGroupLookup({ find: findSealed, keysMax: 100, lookupsMax: 1 })
  const known = new Map<string, { until: number; secrets: Promise<readonly KeyObject[]> }>()

  async function read(consumerId: string): Promise<readonly KeyObject[]> {
    const sealed = (await lookUp(consumerId)) ?? []
    return sealed.map((secret) =>
      createSecretKey(unseal(secret).replace(secretPrefix, ''), 'base64'),
    )
  }

  return (consumerId) => {
    const now = performance.now()
    const found = known.get(consumerId)
    if (found && found.until > now) return found.secrets
    const secrets = read(consumerId)
    if (known.size >= consumersMax) known.clear()
    known.set(consumerId, { until: now + secretsAgeMsMax, secrets })
    // A failure is not remembered: the next call asks again.
    secrets.catch(() => known.delete(consumerId))
    return secrets
  }
}
