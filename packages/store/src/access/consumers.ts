import type { Role } from '@despatch/domain/access/caller'
import type { RefusalTerm } from '@despatch/domain/contract/refusal-term'
import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Production } from '../schema-contract.ts'
import type { Plex } from '../schema-fulfilment.ts'

/** A caller and its credentials. Days are YYYY-MM-DD: the last day on which the credential works. */
export type Consumer = {
  id: string
  name: string
  userName: string
  passwordExpiresOn: string
  apiKeyHash: Buffer
  apiKeyExpiresOn: string
  roles: Role[]
  /** The services that it may use, by path prefix. */
  services: string[]
  usagePlan: string
  providerId: string | null
  disabledAt: Date | null
  /** The networks from which it may call; without any, from everywhere. */
  networks: string[]
  /** Tokens of another generation are refused. */
  tokenGeneration: number
  /** True while its API key is being changed. A reader must not cache the consumer then. */
  isApiKeyChanging: boolean
}

/** A consumer with what only services that accept passwords may read. */
export type Account = Consumer & {
  passwordHash: string
  /** Where recovery codes are sent. Without it, the user cannot request one. */
  email: string | null
}

export async function findConsumer(db: Db, id: string): Promise<Consumer | undefined> {
  const row = await selectConsumer(db).where('id', '=', id).executeTakeFirst()
  return row && toConsumer(row)
}

export type ConsumerInSession = { consumer: Consumer; passwordFingerprint: Buffer }

/**
 * Finds the consumer of each session by its id, with the SHA-256 of its password hash, in one query. Undefined: there is
 * none, or the session has been ended.
 */
export async function findConsumersInSessions(
  db: Db,
  sessions: readonly { consumerId: string; sessionHash: Buffer }[],
): Promise<(ConsumerInSession | undefined)[]> {
  const hashes = sessions.map(({ sessionHash }) => sessionHash)
  const ids = sessions.map(({ consumerId }) => consumerId)
  const rows = await selectConsumer(db)
    .innerJoin('consumer_password', 'consumer_id', 'id')
    .select([
      'fingerprint',
      sql<
        Buffer[]
      >`array(select session_hash from ended_session where session_hash = any (${hashes}::bytea[]))`.as(
        'ended',
      ),
    ])
    .where(sql<boolean>`id = any (${ids}::uuid[])`)
    .execute()
  return sessions.map(({ consumerId, sessionHash }) => {
    const row = rows.find(({ id }) => id === consumerId)
    if (!row || row.ended.some((hash) => hash.equals(sessionHash))) return undefined
    return { consumer: toConsumer(row), passwordFingerprint: row.fingerprint }
  })
}

export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  const row = await selectAccount(db).where('id', '=', id).executeTakeFirst()
  return row && toAccount(row)
}

export async function findAccountByUserName(
  db: Db,
  userName: string,
): Promise<Account | undefined> {
  const row = await selectAccount(db).where('user_name', '=', userName).executeTakeFirst()
  return row && toAccount(row)
}

/** Finds the consumers whose API keys have these SHA-256 hashes. */
export async function findConsumersByApiKey(
  db: Db,
  apiKeyHashes: readonly Buffer[],
): Promise<Consumer[]> {
  const rows = await selectConsumer(db)
    .where(sql<boolean>`api_key_hash = any (${apiKeyHashes}::bytea[])`)
    .execute()
  return rows.map(toConsumer)
}

type InsertableConsumer = Omit<
  Account,
  | 'disabledAt'
  | 'networks'
  | 'tokenGeneration'
  | 'isApiKeyChanging'
  | 'services'
  | 'usagePlan'
  | 'email'
> & {
  apiKeyPrefix: string
  /** Absent: the database's default. */
  services?: readonly string[]
  usagePlan?: string
  email?: string | null
}

/**
 * Inserts a consumer. Returns 'user-name-taken', and inserts nothing, if another consumer has the user name or the API
 * key.
 */
export async function insertConsumer(
  db: Db,
  consumer: InsertableConsumer,
): Promise<'inserted' | 'user-name-taken'> {
  const { services, usagePlan, email } = consumer
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('consumer')
    .values({
      id: consumer.id,
      name: consumer.name,
      user_name: consumer.userName,
      password_hash: consumer.passwordHash,
      password_expires_on: consumer.passwordExpiresOn,
      api_key_prefix: consumer.apiKeyPrefix,
      api_key_hash: consumer.apiKeyHash,
      api_key_expires_on: consumer.apiKeyExpiresOn,
      roles: sql<Role[]>`${consumer.roles}::text[]`,
      provider_id: consumer.providerId,
      ...(services && { services: sql<string[]>`${services}::text[]` }),
      ...(usagePlan !== undefined && { usage_plan: usagePlan }),
      ...(email !== undefined && { email }),
    })
    // Covers any conflict, not only on the user name: of two identical concurrent inserts, one may hit another index
    // first.
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n ? 'inserted' : 'user-name-taken'
}

export type InsertableContract = {
  id: string
  consumerId: string
  jobType: string
  templateReference: string
  production: Production
  suppliedFileKey?: string | null
  printsHandlingInstruction?: boolean
  plex?: Plex
  colour?: boolean
  pagesMax?: number
  stationery?: string
  templateData?: boolean
  callbackReturns?: boolean
  /** Default: `report`. */
  unreadableFiles?: RefusalTerm
}

/** Inserts a contract unless the consumer has one for the same jobType and templateReference. */
export async function insertContract(db: Db, contract: InsertableContract): Promise<void> {
  const { printsHandlingInstruction, plex, colour, pagesMax } = contract
  const { stationery, templateData, callbackReturns, unreadableFiles } = contract
  await db
    .insertInto('contract')
    .values({
      id: contract.id,
      consumer_id: contract.consumerId,
      job_type: contract.jobType,
      template_reference: contract.templateReference,
      production: contract.production,
      supplied_file_key: contract.suppliedFileKey ?? null,
      ...(printsHandlingInstruction !== undefined && {
        prints_handling_instruction: printsHandlingInstruction,
      }),
      ...(plex && { plex }),
      ...(colour !== undefined && { colour }),
      ...(pagesMax !== undefined && { pages_max: pagesMax }),
      ...(stationery !== undefined && { stationery }),
      ...(templateData !== undefined && { template_data: templateData }),
      ...(callbackReturns !== undefined && { callback_returns: callbackReturns }),
      ...(unreadableFiles !== undefined && { unreadable_files: unreadableFiles }),
    })
    .onConflict((conflict) =>
      conflict.columns(['consumer_id', 'job_type', 'template_reference']).doNothing(),
    )
    .execute()
}

/** Inserts a print provider unless it exists. A consumer with the provider role belongs to one. */
export async function insertProvider(
  db: Db,
  { id, name, printLocations }: { id: string; name: string; printLocations: readonly string[] },
): Promise<void> {
  await transact(db, async (tx) => {
    const inserted = await tx
      .insertInto('provider')
      .values({ id, name })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!inserted) return
    await tx
      .insertInto('print_site')
      .values(
        printLocations.map((printLocation) => ({
          provider_id: id,
          print_location: printLocation,
          capabilities: JSON.stringify(unrestrictedCapabilities),
        })),
      )
      .execute()
  })
}

function selectConsumer(db: Db) {
  return db
    .selectFrom('consumer')
    .select([
      'id',
      'name',
      'user_name',
      'password_expires_on',
      'api_key_hash',
      'api_key_expires_on',
      'roles',
      'services',
      'usage_plan',
      'provider_id',
      'disabled_at',
      'networks',
      'api_key_change_id',
      'token_generation',
    ])
}

function selectAccount(db: Db) {
  return selectConsumer(db).select(['password_hash', 'email'])
}

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof selectConsumer>['executeTakeFirst']>>>
type AccountRow = NonNullable<
  Awaited<ReturnType<ReturnType<typeof selectAccount>['executeTakeFirst']>>
>

function toAccount(row: AccountRow): Account {
  return { ...toConsumer(row), passwordHash: row.password_hash, email: row.email }
}

function toConsumer(row: Row): Consumer {
  return {
    id: row.id,
    name: row.name,
    userName: row.user_name,
    passwordExpiresOn: row.password_expires_on,
    apiKeyHash: row.api_key_hash,
    apiKeyExpiresOn: row.api_key_expires_on,
    roles: row.roles,
    services: row.services,
    usagePlan: row.usage_plan,
    providerId: row.provider_id,
    disabledAt: row.disabled_at,
    networks: row.networks,
    tokenGeneration: row.token_generation,
    isApiKeyChanging: row.api_key_change_id !== null,
  }
}
