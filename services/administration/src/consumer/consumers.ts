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
  return selectConsumers(db)
    .$if(userName !== undefined, (select) => select.where('user_name', '=', userName!))
    .$if(after !== undefined, (select) => select.where(inOrder, '>', after!))
    .orderBy(inOrder)
    .limit(consumersMax)
    .execute()
}

/** Returns a consumer. Throws a Problem if there is none. */
export async function getListedConsumer(db: Db, consumerId: string): Promise<ListedConsumer> {
  const consumer = await selectConsumers(db).where('id', '=', consumerId).executeTakeFirst()
  if (!consumer) throw consumerNotFound(consumerId)
  return consumer
}

/** Reads one consumer and locks it until the transaction ends. */
export async function lockConsumer(tx: Db, id: string): Promise<ListedConsumer | undefined> {
  return selectConsumers(tx).where('id', '=', id).forUpdate().executeTakeFirst()
}

function selectConsumers(db: Db) {
  return db
    .selectFrom('consumer')
    .select([
      'id as consumerId',
      'user_name as userName',
      'name',
      'email',
      'roles',
      'provider_id as providerId',
      'services',
      'usage_plan as usagePlan',
      'networks',
      'api_key_prefix as apiKeyPrefix',
      'api_key_changed_at as apiKeyChangedAt',
      'api_key_expires_on as apiKeyExpiry',
      'password_changed_at as passwordChangedAt',
      'password_expires_on as passwordExpiry',
      'created_at as createdAt',
      'disabled_at as disabledAt',
    ])
}
