import { setTimeout } from 'node:timers/promises'
import { listSigningKeys } from '@despatch/store/access/signing-keys'
import type { Db } from '@despatch/store/database'
import { type CryptoKey, importJWK } from 'jose'
import { signingAlgorithm } from './signing-key.ts'

/** A retired key is still good for the tokens that it signed: twice their life. */
const retiredKeySeconds = 2 * 60 * 60
/** Tokens that name keys nobody has do not make more look-ups than this. */
const reloadIntervalMs = 250
/** A key that has been retired for long enough is forgotten, although somebody goes on naming it. */
const keptMs = 60_000

export type VerificationKeys = {
  /** The public key that a token names, or undefined. One made since by another process is looked up. */
  find(kid: string): Promise<CryptoKey | undefined>
}

/** The public halves of the signing keys, read when first wanted: checking a token takes no secret. */
export function createVerificationKeys(db: Db): VerificationKeys {
  let keys = new Map<string, CryptoKey>()
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    // A look-up that comes too early waits: refusing it would refuse the first tokens of a new key.
    const earlyMs = readAtMs + reloadIntervalMs - performance.now()
    if (earlyMs > 0) await setTimeout(earlyMs)
    readAtMs = performance.now()
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

  function readTogether(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  return {
    async find(kid) {
      const known = performance.now() - readAtMs < keptMs ? keys.get(kid) : undefined
      if (known) return known
      const wasUnderWay = reading !== undefined
      await readTogether()
      // a look-up that was under way may have missed a key made since
      if (wasUnderWay && !keys.has(kid)) await readTogether()
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
