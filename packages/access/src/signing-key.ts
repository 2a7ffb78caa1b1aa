import {
  findActiveSigningKey,
  insertSigningKey,
  type SigningKeyRow,
} from '@despatch/store/access/signing-keys'
import type { Db } from '@despatch/store/database'
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importPKCS8,
} from 'jose'
import { type SealedBox, sealedBox } from './sealed-box.ts'

export const signingAlgorithm = 'RS256'
const modulusBits = 2_048
const reloadIntervalMs = 5_000

/** The active signing key. */
export type SigningKey = { kid: string; privateKey: CryptoKey }
export type SigningKeySource = () => Promise<SigningKey>

/** Returns the box for the private halves. It also unseals values that the previous keys sealed. */
export function signingKeyBox(
  secretKeyHex: string,
  previousKeysHex: readonly string[] = [],
): SealedBox {
  return sealedBox(secretKeyHex, { previousKeysHex, purpose: 'signing key' })
}

/**
 * Returns the source of the active signing key. The first process to call it creates the key. The private half is
 * sealed with the key of signing keys. The source throws if it cannot unseal the key. It notices a change of key
 * within 5 s.
 */
export async function openSigningKey({
  db,
  secretKeyHex,
  previousKeysHex = [],
  now = () => new Date(),
}: {
  db: Db
  secretKeyHex: string
  /** Previous keys that may have sealed the signing key. */
  previousKeysHex?: readonly string[]
  now?: () => Date
}): Promise<SigningKeySource> {
  const box = signingKeyBox(secretKeyHex, previousKeysHex)
  if (!(await findActiveSigningKey(db))) await insertSigningKey(db, await makeSigningKey(box))
  let known = await openActive(db, box)
  let readAtMs = now().getTime()

  return async () => {
    if (now().getTime() - readAtMs >= reloadIntervalMs) {
      known = await openActive(db, box, known)
      readAtMs = now().getTime()
    }
    return known
  }
}

async function openActive(db: Db, box: SealedBox, known?: SigningKey): Promise<SigningKey> {
  const row = await findActiveSigningKey(db)
  if (!row) throw new Error('No signing key is in use')
  if (known?.kid === row.kid) return known
  const privateKey = await importPKCS8(box.unseal(row.privateKeySealed), signingAlgorithm)
  return { kid: row.kid, privateKey }
}

export async function makeSigningKey(box: SealedBox): Promise<SigningKeyRow> {
  const { publicKey, privateKey } = await generateKeyPair(signingAlgorithm, {
    modulusLength: modulusBits,
    extractable: true,
  })
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  return {
    kid,
    publicJwk: { ...jwk, kid, alg: signingAlgorithm, use: 'sig' },
    privateKeySealed: box.seal(await exportPKCS8(privateKey)),
  }
}
