import type { Db } from '@despatch/store/database'
import { insertSigningKey, listSigningKeys, type SigningKeyRow } from '@despatch/store/signing-keys'
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importJWK,
  importPKCS8,
  type JWK,
} from 'jose'
import type { SealedBox } from './sealed-box.ts'

export const signingAlgorithm = 'RS256'
const modulusBits = 2_048
const sealedPurpose = 'signing key'
/** A retired key is still good for the tokens that it signed: twice their life. */
const retiredKeySeconds = 2 * 60 * 60
const reloadIntervalMs = 5_000

/** The keys that sign and check tokens, as this process knows them. */
export type SigningKeys = {
  /** The key that signs. */
  active(): Promise<{ kid: string; privateKey: CryptoKey }>
  /** The key that a token names, or undefined. A key made since by another process is looked up. */
  find(kid: string): Promise<CryptoKey | undefined>
  /** The public halves, for anybody who wants to check a token. */
  jwks(): Promise<{ keys: JWK[] }>
}

type Loaded = { rows: readonly SigningKeyRow[]; publicKeys: Map<string, CryptoKey>; atMs: number }

/**
 * Opens the signing keys; the first process ever to do so makes one. Throws when the private key cannot be unsealed.
 */
export async function openSigningKeys({
  db,
  box,
  now = () => new Date(),
}: {
  db: Db
  box: SealedBox
  now?: () => Date
}): Promise<SigningKeys> {
  let loaded = await load(db, now)
  if (!loaded.rows.some(({ isActive }) => isActive)) {
    await insertSigningKey(db, await makeKey(box))
    loaded = await load(db, now)
  }
  await openActive(loaded.rows, box)

  const current = async (): Promise<Loaded> => {
    if (now().getTime() - loaded.atMs >= reloadIntervalMs) loaded = await load(db, now)
    return loaded
  }
  let opened: { kid: string; privateKey: CryptoKey } | undefined

  return {
    async active() {
      const { rows } = await current()
      const kid = rows.find(({ isActive }) => isActive)?.kid
      if (!opened || opened.kid !== kid) opened = await openActive(rows, box)
      return opened
    },
    async find(kid) {
      return loaded.publicKeys.get(kid) ?? (await current()).publicKeys.get(kid)
    },
    async jwks() {
      const { rows } = await current()
      return { keys: rows.map(({ publicJwk }) => publicJwk as JWK) }
    },
  }
}

async function load(db: Db, now: () => Date): Promise<Loaded> {
  const atMs = now().getTime()
  const rows = await listSigningKeys(db, { retiredWithinSeconds: retiredKeySeconds })
  const publicKeys = await Promise.all(
    rows.map(async ({ kid, publicJwk }): Promise<[string, CryptoKey]> => {
      const key = await importJWK(publicJwk as JWK, signingAlgorithm)
      return [kid, key as CryptoKey]
    }),
  )
  return { rows, publicKeys: new Map(publicKeys), atMs }
}

async function makeKey(box: SealedBox): Promise<Omit<SigningKeyRow, 'isActive'>> {
  const { publicKey, privateKey } = await generateKeyPair(signingAlgorithm, {
    modulusLength: modulusBits,
    extractable: true,
  })
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  return {
    kid,
    publicJwk: { ...jwk, kid, alg: signingAlgorithm, use: 'sig' },
    privateKeySealed: box.seal(Buffer.from(await exportPKCS8(privateKey)), sealedPurpose),
  }
}

async function openActive(rows: readonly SigningKeyRow[], box: SealedBox) {
  const row = rows.find(({ isActive }) => isActive)
  if (!row) throw new Error('There is no signing key in use')
  const pem = box.unseal(row.privateKeySealed, sealedPurpose).toString()
  return { kid: row.kid, privateKey: await importPKCS8(pem, signingAlgorithm) }
}
