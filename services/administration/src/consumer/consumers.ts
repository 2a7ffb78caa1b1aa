import type { ListedConsumer } from '@despatch/contracts/administration/consumer'
import { consumerNotFound } from '@despatch/contracts/administration/problems'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

type ConsumerPage = {
  userName?: string | undefined
  /** The last user name of the previous page. */
  after?: string | undefined
  consumersMax: number
}

/** Lists consumers, ordered by the characters of the user name. */
export async function listConsumerPage(
  db: Db,
  { userName, after, consumersMax }: ConsumerPage,
): Promise<ListedConsumer[]> {
  const inOrder = sql<string>`user_name collate "C"`
  const rows = await selectConsumers(db)
    .$if(userName !== undefined, (select) => select.where('user_name', '=', userName!))
    .$if(after !== undefined, (select) => select.where(inOrder, '>', after!))
    .orderBy(inOrder)
    .limit(consumersMax)
    .execute()
  return rows.map(toConsumer)
}

/** Returns a consumer. Throws a Problem if there is none. */
export async function getListedConsumer(db: Db, consumerId: string): Promise<ListedConsumer> {
  const row = await selectConsumers(db).where('id', '=', consumerId).executeTakeFirst()
  if (!row) throw consumerNotFound(consumerId)
  return toConsumer(row)
}

/** Reads one consumer and locks it until the transaction ends. */
export async function lockConsumer(tx: Db, id: string): Promise<ListedConsumer | undefined> {
  const row = await selectConsumers(tx).where('id', '=', id).forUpdate().executeTakeFirst()
  return row && toConsumer(row)
}

function selectConsumers(db: Db) {
  return db
    .selectFrom('consumer')
    .select([
      'id',
      'user_name',
      'name',
      'email',
      'roles',
      'provider_id',
      'services',
      'usage_plan',
      'networks',
      'api_key_prefix',
      'api_key_changed_at',
      'api_key_expires_on',
      'password_changed_at',
      'password_expires_on',
      'created_at',
      'disabled_at',
    ])
}

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof selectConsumers>['executeTakeFirst']>>>

function toConsumer(row: Row): ListedConsumer {
  return {
    id: row.id,
    userName: row.user_name,
    name: row.name,
    email: row.email,
    roles: row.roles,
    providerId: row.provider_id,
    services: row.services,
    usagePlan: row.usage_plan,
    networks: row.networks,
    apiKeyPrefix: row.api_key_prefix,
    apiKeyChangedAt: row.api_key_changed_at,
    apiKeyExpiresOn: row.api_key_expires_on,
    passwordChangedAt: row.password_changed_at,
    passwordExpiresOn: row.password_expires_on,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
  }
}
