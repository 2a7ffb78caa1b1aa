import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A key pair that signs tokens. The private key is sealed; this module never sees it in plain text. */
export type SigningKeyRow = {
  kid: string
  publicJwk: Record<string, unknown>
  privateKeySealed: Buffer
}

/**
 * Lists the public halves of the active key, and of keys retired so recently that their tokens may still be in use.
 * Newest first.
 */
export async function listPublicJwks(
  db: Db,
  { retiredWithinSeconds }: { retiredWithinSeconds: number },
): Promise<Record<string, unknown>[]> {
  const rows = await db
    .selectFrom('signing_key')
    .select('public_jwk')
    .where(({ or, eb }) =>
      or([
        eb('retired_at', 'is', null),
        eb(
          'retired_at',
          '>',
          sql<Date>`now() - ${retiredWithinSeconds}::integer * interval '1 second'`,
        ),
      ]),
    )
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map((row) => row.public_jwk)
}

/** Finds the active key. */
export async function findActiveSigningKey(db: Db): Promise<SigningKeyRow | undefined> {
  const row = await db
    .selectFrom('signing_key')
    .select(['kid', 'public_jwk', 'private_key_sealed'])
    .where('retired_at', 'is', null)
    .executeTakeFirst()
  return (
    row && {
      kid: row.kid,
      publicJwk: row.public_jwk,
      privateKeySealed: row.private_key_sealed,
    }
  )
}

/** Inserts the active key unless there is one. Of several processes that start at once, one wins. */
export async function insertSigningKey(
  db: Db,
  { kid, publicJwk, privateKeySealed }: SigningKeyRow,
): Promise<void> {
  await transact(db, (tx) =>
    tx
      .insertInto('signing_key')
      .values({
        kid,
        public_jwk: JSON.stringify(publicJwk),
        private_key_sealed: privateKeySealed,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
}

/**
 * Replaces the active key within the given transaction. Returns false, and changes nothing, if another caller retired
 * it first. Of several concurrent callers one wins, because all of them retire the same row.
 */
export async function replaceSigningKey(
  tx: Db,
  retiringKid: string,
  key: SigningKeyRow,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('signing_key')
    .set({ retired_at: sql<Date>`now()` })
    .where('kid', '=', retiringKid)
    .where('retired_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await insertSigningKey(tx, key)
  return true
}
