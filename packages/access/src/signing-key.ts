import {
  insertSigningKey,
  listSigningKeys,
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

/** The key that signs tokens now. */
export type SigningKey = { kid: string; privateKey: CryptoKey }
export type SigningKeySource = () => Promise<SigningKey>

/** The box of the private halves. It opens what the previous keys sealed, too. */
export function signingKeyBox(
  secretKeyHex: string,
  previousKeysHex: readonly string[] = [],
): SealedBox {
  return sealedBox(secretKeyHex, { previousKeysHex, purpose: 'signing key' })
}

/**
 * Opens the key that signs tokens; the first process ever to do so makes it. The private half is sealed with the
 * deployment's secret key. Throws when it cannot be unsealed. A change of key is seen within 5 s.
 */
export async function openSigningKey({
  db,
  secretKeyHex,
  previousKeysHex = [],
  now = () => new Date(),
}: {
  db: Db
  secretKeyHex: string
  /** Keys that the key may have been sealed with before. */
  previousKeysHex?: readonly string[]
  now?: () => Date
}): Promise<SigningKeySource> {
  const box = signingKeyBox(secretKeyHex, previousKeysHex)
  if (!(await findActiveKey(db))) await insertSigningKey(db, await makeSigningKey(box))
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

/** The key that signs, still sealed. */
export async function findActiveKey(db: Db): Promise<SigningKeyRow | undefined> {
  const rows = await listSigningKeys(db, { retiredWithinSeconds: 0 })
  return rows.find(({ isActive }) => isActive)
}

async function openActive(db: Db, box: SealedBox, known?: SigningKey): Promise<SigningKey> {
  const row = await findActiveKey(db)
  if (!row) throw new Error('There is no signing key in use')
  if (known?.kid === row.kid) return known
  const privateKey = await importPKCS8(box.unseal(row.privateKeySealed), signingAlgorithm)
  return { kid: row.kid, privateKey }
}

export async function makeSigningKey(box: SealedBox): Promise<Omit<SigningKeyRow, 'isActive'>> {
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
