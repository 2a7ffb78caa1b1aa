import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** A secret that signs a consumer's callbacks, without its value. */
type ListedSigningSecret = {
  secretId: string
  createdAt: Date
  /** Null: valid until another is created. */
  expiresAt: Date | null
}

const liveMax = 2

const isLive = sql<boolean>`(expires_at is null or expires_at > now())`
const listed = sql`id as "secretId", created_at as "createdAt", expires_at as "expiresAt"`

/**
 * Saves a secret that signs from now on. The previous one also signs for `overlapSeconds`; with 0 it stops at once.
 * Returns 'full' if two secrets sign already. Takes a transaction, so that the audit event of its creation is written
 * with it.
 */
export async function insertSigningSecret(
  tx: Tx,
  secret: { id: string; consumerId: string; secretSealed: Uint8Array; overlapSeconds: number },
): Promise<ListedSigningSecret | 'full'> {
  const { id, consumerId, secretSealed, overlapSeconds } = secret
  // Serialises the changes of each consumer. Locking its row would require the right to change it.
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`callback_secret:${consumerId}`}, 0))`.execute(
    tx,
  )
  const live = await listConsumerSecrets(tx, consumerId)
  if (live.length >= liveMax) return 'full'
  await sql`
    delete from callback_secret where consumer_id = ${consumerId} and not ${isLive}`.execute(tx)
  await sql`
    update callback_secret set expires_at = now() + ${overlapSeconds} * interval '1 second'
    where consumer_id = ${consumerId} and expires_at is null`.execute(tx)
  const { rows } = await sql<ListedSigningSecret>`
    insert into callback_secret (id, consumer_id, secret_sealed)
    values (${id}, ${consumerId}, ${Buffer.from(secretSealed)}) returning ${listed}`.execute(tx)
  return rows[0]!
}

/** Lists the secrets that sign now, newest first. */
export async function listConsumerSecrets(
  db: Db,
  consumerId: string,
): Promise<ListedSigningSecret[]> {
  const { rows } = await sql<ListedSigningSecret>`
    select ${listed} from callback_secret where consumer_id = ${consumerId} and ${isLive}
    order by created_at desc`.execute(db)
  return rows
}

/** Stops a secret from signing. Returns false if no such secret signs, or it is another consumer's. */
export async function removeSigningSecret(
  db: Db,
  consumerId: string,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    delete from callback_secret where id = ${id} and consumer_id = ${consumerId} and ${isLive} returning id`.execute(
    db,
  )
  return rows.length > 0
}

/**
 * Finds the sealed secrets that sign the callbacks of consumers now, newest first. A consumer without any is absent.
 */
export async function listLiveSecrets(
  db: Db,
  consumerIds: readonly string[],
): Promise<Map<string, Buffer[]>> {
  const { rows } = await sql<{ consumerId: string; secrets: Buffer[] }>`
    select consumer_id as "consumerId", array_agg(secret_sealed order by created_at desc) as secrets
    from callback_secret where consumer_id = any (${[...consumerIds]}::uuid[]) and ${isLive}
    group by consumer_id`.execute(db)
  return new Map(rows.map(({ consumerId, secrets }) => [consumerId, secrets]))
}
