import { transact } from '@despatch/postgres/transact'
import type { Db } from '../database.ts'

/** Returns the sealed key of search terms, or undefined if none has been created. */
export async function findSearchKey(db: Db): Promise<Buffer | undefined> {
  const row = await db.selectFrom('search_key').select('key_sealed').executeTakeFirst()
  return row?.key_sealed
}

/** Saves the sealed key of search terms unless there is one. Of several processes that start at once, one wins. */
export async function insertSearchKey(db: Db, keySealed: Buffer): Promise<void> {
  await transact(db, (tx) =>
    tx
      .insertInto('search_key')
      .values({ id: 1, key_sealed: keySealed })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
}
