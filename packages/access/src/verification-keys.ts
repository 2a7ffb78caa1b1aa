import { setTimeout } from 'node:timers/promises'
import { listPublicJwks } from '@despatch/store/access/signing-keys'
import type { Db } from '@despatch/store/database'
import { type CryptoKey, importJWK } from 'jose'
import { signingAlgorithm } from './signing-key.ts'

/** A retired key still verifies the tokens that it signed. It is kept for twice their life. */
const retiredKeySeconds = 2 * 60 * 60
/** Tokens with unknown keys cause at most one look-up in this interval. */
const reloadIntervalMs = 250
/** A key that has been retired for long enough is forgotten, even if tokens still name it. */
const keptMs = 60_000

export type VerificationKeys = {
  /** Returns the public key that a token names, or undefined. Looks up a key that another process has created since. */
  find(kid: string): Promise<CryptoKey | undefined>
}

/** The public halves of the signing keys, read with the first call. Verifying a token requires no secret. */
export function createVerificationKeys(db: Db): VerificationKeys {
  let keys = new Map<string, CryptoKey>()
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    // A look-up within the interval waits. Refusing it would refuse the first tokens of a new key.
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
      // A look-up that was under way may have missed a key created since.
      if (wasUnderWay && !keys.has(kid)) await readTogether()
      return keys.get(kid)
    },
  }
}

type PublicKey = {
  kid: string
  kty: 'RSA'
  alg: 'RS256'
  use: 'sig'
  n: string
  e: string
}

/** Returns the public keys as a JWK set lists them: the active one and those retired lately. */
export async function listPublicKeys(db: Db): Promise<PublicKey[]> {
  return (await listPublicJwks(db, { retiredWithinSeconds: retiredKeySeconds })) as PublicKey[]
}
