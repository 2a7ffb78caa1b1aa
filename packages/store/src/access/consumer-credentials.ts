import { repeatLost } from '@despatch/postgres/lost-reply'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

type PasswordUpdate = {
  consumerId: string
  passwordHash: string
  expiresOn: string
  /** The hash that the caller expects to replace. Absent: replaces any hash. */
  replaces?: string
  endsTokens: boolean
}

/** Ends the tokens and the console sessions that the consumer has. */
const nextGeneration = { token_generation: sql<number>`token_generation + 1` }

/**
 * Sets the password. Returns false if the consumer does not exist, or if the password no longer has the hash
 * `replaces`.
 */
export async function updatePassword(
  tx: Db,
  { consumerId, passwordHash, expiresOn, replaces, endsTokens }: PasswordUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('consumer')
    .set({
      password_hash: passwordHash,
      password_expires_on: expiresOn,
      password_changed_at: sql<Date>`now()`,
      ...(endsTokens && nextGeneration),
    })
    .where('id', '=', consumerId)
    .$if(replaces !== undefined, (update) => update.where('password_hash', '=', replaces!))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

type ApiKeyChangeStart = {
  consumerId: string
  changeId: string
  /** The hash of the key that the caller presented. Absent: an operator changes the key, whatever it is. */
  expectedHash?: Buffer
  /** A change older than this counts as abandoned: its process died. */
  overdueSeconds: number
}

/** Marks a change of the API key as in progress. Once this is committed, no process caches the consumer. */
export async function beginApiKeyChange(
  db: Db,
  { consumerId, changeId, expectedHash, overdueSeconds }: ApiKeyChangeStart,
): Promise<boolean> {
  const { numUpdatedRows } = await transact(db, (tx) =>
    tx
      .updateTable('consumer')
      .set({ api_key_change_id: changeId, api_key_change_began_at: sql<Date>`now()` })
      .where('id', '=', consumerId)
      .where(({ or, eb }) =>
        or([
          eb('api_key_change_id', 'is', null),
          eb('api_key_change_began_at', '<', ago(overdueSeconds)),
        ]),
      )
      .$if(expectedHash !== undefined, (update) =>
        update.where('api_key_hash', '=', expectedHash!).where('disabled_at', 'is', null),
      )
      .executeTakeFirst(),
  )
  return numUpdatedRows === 1n
}

type ApiKeySwitch = Omit<ApiKeyChangeStart, 'overdueSeconds'> & {
  apiKeyHash: Buffer
  apiKeyPrefix: string
  expiresOn: string
  endsTokens: boolean
}

/** Replaces the old key with the new one and ends the change. Returns false if this change is no longer in progress. */
export async function switchApiKey(
  tx: Db,
  { consumerId, changeId, expectedHash, endsTokens, ...key }: ApiKeySwitch,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('consumer')
    .set({
      api_key_hash: key.apiKeyHash,
      api_key_prefix: key.apiKeyPrefix,
      api_key_expires_on: key.expiresOn,
      api_key_changed_at: sql<Date>`now()`,
      api_key_change_id: null,
      api_key_change_began_at: null,
      ...(endsTokens && nextGeneration),
    })
    .where('id', '=', consumerId)
    .where('api_key_change_id', '=', changeId)
    .$if(expectedHash !== undefined, (update) =>
      update.where('api_key_hash', '=', expectedHash!).where('disabled_at', 'is', null),
    )
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Ends the change without a new key. Returns true if the switch has not happened. It cannot happen later, because it
 * requires the change id that this removes. Returns false if the switch has happened, or the change has ended. Waits
 * for a switch that is being committed.
 */
export async function abandonApiKeyChange(
  db: Db,
  { consumerId, changeId }: { consumerId: string; changeId: string },
): Promise<boolean> {
  const update = db
    .updateTable('consumer')
    .set({ api_key_change_id: null, api_key_change_began_at: null })
    .where('id', '=', consumerId)
    .where('api_key_change_id', '=', changeId)
  const { numUpdatedRows } = await repeatLost(() => update.executeTakeFirst())
  return numUpdatedRows === 1n
}

/** Ends the changes that died with their processes. The consumers may be cached again. */
export async function abandonOverdueApiKeyChanges(db: Db, overdueSeconds: number): Promise<void> {
  const update = db
    .updateTable('consumer')
    .set({ api_key_change_id: null, api_key_change_began_at: null })
    .where('api_key_change_began_at', '<', ago(overdueSeconds))
  await repeatLost(() => update.execute())
}

/**
 * Disables or enables a consumer. Enabled again, it needs a new token. Returns false if the consumer does not exist or
 * is in that state already.
 */
export async function setConsumerDisabled(
  tx: Db,
  { consumerId, isDisabled }: { consumerId: string; isDisabled: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('consumer')
    .set(isDisabled ? { disabled_at: sql<Date>`now()`, ...nextGeneration } : { disabled_at: null })
    .where('id', '=', consumerId)
    .where('disabled_at', isDisabled ? 'is' : 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Ends the tokens and the console sessions of a consumer. Returns false if the consumer does not exist. */
export async function raiseTokenGeneration(tx: Db, consumerId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('consumer')
    .set(nextGeneration)
    .where('id', '=', consumerId)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

function ago(seconds: number) {
  return sql<Date>`now() - ${seconds}::integer * interval '1 second'`
}
