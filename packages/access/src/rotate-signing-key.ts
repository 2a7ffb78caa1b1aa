import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { findActiveSigningKey, replaceSigningKey } from '@despatch/store/access/signing-keys'
import type { Db } from '@despatch/store/database'
import type { SealedBox } from './sealed-box.ts'
import { makeSigningKey } from './signing-key.ts'

/**
 * Creates a new signing key and makes it the active one. The old key is published for two hours more, so its tokens
 * stay valid until they expire. Running processes sign with the new key within 5 s. `box` must be the `signingKeyBox`.
 * Of several concurrent calls one creates the key; the others return that key with `isNew` false. Throws if there is no
 * key yet.
 */
export async function rotateSigningKey(
  db: Db,
  box: SealedBox,
  { actor }: { actor: string },
): Promise<{ kid: string; isNew: boolean }> {
  const [retiring, key] = await Promise.all([findActiveSigningKey(db), makeSigningKey(box)])
  if (!retiring) throw new Error('No signing key is in use')
  const isNew = await transact(db, async (tx) => {
    if (!(await replaceSigningKey(tx, retiring.kid, key))) return false
    const detail = { kid: key.kid, retiredKid: retiring.kid }
    await insertAuditEvent(tx, { actor, action: 'signing-key.rotated', detail })
    return true
  })
  return { kid: isNew ? key.kid : ((await findActiveSigningKey(db))?.kid ?? retiring.kid), isNew }
}
