import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { repeatLost } from '@despatch/postgres/lost-reply'
import { createGroupLookup } from '@despatch/store/group-lookup'

/** A message as a consumer verifies it: exactly the bytes that are sent. */
type SignedMessage = { id: string; timestampSeconds: number; body: Uint8Array }

/**
 * Signs a message with each of the secrets (Standard Webhooks 1.0). Each signature is `v1,` and the HMAC-SHA256 of id,
 * timestamp and body; spaces separate the signatures. Returns undefined without secrets.
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

/** Returns a consumer's live secrets, unsealed. Rejects if they cannot be read. */
export type SecretsOf = (consumerId: string) => Promise<readonly KeyObject[]>

type SecretsOptions = {
  findSealed: (consumerIds: readonly string[]) => Promise<ReadonlyMap<string, readonly Buffer[]>>
  /** Returns the text that the consumer was shown: `whsec_` and base64. */
  unseal: (sealed: Buffer) => string
}

/** For at most this time, an expired secret may still sign and a new one may not sign yet. */
const secretsAgeMsMax = 2_000
const consumersMax = 1_000

/** Returns a function that looks secrets up for many calls at once, and caches them for two seconds. */
export function createSecretsOf({ findSealed, unseal }: SecretsOptions): SecretsOf {
  const lookUp = createGroupLookup({
    // Without them all calls of this moment would be postponed, and others of their print jobs would overtake them.
    find: (consumerIds) => repeatLost(() => findSealed(consumerIds)),
    keysMax: 100,
    lookupsMax: 1,
  })
  const known = new Map<string, { until: number; secrets: Promise<readonly KeyObject[]> }>()

  async function read(consumerId: string): Promise<readonly KeyObject[]> {
    const sealed = (await lookUp(consumerId)) ?? []
    return sealed.map((secret) => createSecretKey(unseal(secret).replace('whsec_', ''), 'base64'))
  }

  return (consumerId) => {
    const now = performance.now()
    const found = known.get(consumerId)
    if (found && found.until > now) return found.secrets
    const secrets = read(consumerId)
    if (known.size >= consumersMax) known.clear()
    known.set(consumerId, { until: now + secretsAgeMsMax, secrets })
    // A failure is not cached: the next call reads again.
    secrets.catch(() => known.delete(consumerId))
    return secrets
  }
}
