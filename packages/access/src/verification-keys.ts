import type { Db } from '@despatch/store/database'
import { listSigningKeys } from '@despatch/store/signing-keys'
import { type CryptoKey, importJWK } from 'jose'
import { signingAlgorithm } from './signing-key.ts'

/** A retired key is still good for the tokens that it signed: twice their life. */
const retiredKeySeconds = 2 * 60 * 60
/** Tokens that name keys nobody has do not make more look-ups than this. */
const reloadIntervalMs = 250

export type VerificationKeys = {
  /** The public key that a token names, or undefined. One made since by another process is looked up. */
  find(kid: string): Promise<CryptoKey | undefined>
}

/** The public halves of the signing keys, read when first wanted: checking a token takes no secret. */
export function createVerificationKeys(db: Db, now: () => Date): VerificationKeys {
  let keys = new Map<string, CryptoKey>()
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    readAtMs = now().getTime()
    const jwks = await listPublicKeys(db)
    keys = new Map(
      await Promise.all(
        jwks.map(async (jwk): Promise<[string, CryptoKey]> => {
          const key = await importJWK(jwk, signingAlgorithm)
          return [jwk.kid, key as CryptoKey]
        }),
      ),
    )
  }

  return {
    async find(kid) {
      const known = keys.get(kid)
      if (known) return known
      if (!reading && now().getTime() - readAtMs < reloadIntervalMs) return undefined
      reading ??= read().finally(() => {
        reading = undefined
      })
      await reading
      return keys.get(kid)
    },
  }
}

export type PublicKey = {
  kid: string
  kty: 'RSA'
  alg: 'RS256'
  use: 'sig'
  n: string
  e: string
}

/** The public keys as a JWK set lists them: the one that signs and those retired lately. */
export async function listPublicKeys(db: Db): Promise<PublicKey[]> {
  const rows = await listSigningKeys(db, { retiredWithinSeconds: retiredKeySeconds })
  return rows.map(({ publicJwk }) => publicJwk as PublicKey)
}
