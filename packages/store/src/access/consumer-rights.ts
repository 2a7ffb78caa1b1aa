import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Role } from '../schema.ts'

/** What a consumer may do. An absent member stays unchanged. */
export type ConsumerRights = {
  roles?: readonly Role[]
  providerId?: string | null
  services?: readonly string[]
  usagePlan?: string
}

/** Sets rights of a consumer, which must exist. */
export async function updateConsumerRights(
  tx: Db,
  consumerId: string,
  { roles, providerId, services, usagePlan }: ConsumerRights,
): Promise<void> {
  await tx
    .updateTable('consumer')
    .set({
      ...(roles && { roles: sql<Role[]>`${roles}::text[]` }),
      ...(providerId !== undefined && { provider_id: providerId }),
      ...(services && { services: sql<string[]>`${services}::text[]` }),
      ...(usagePlan !== undefined && { usage_plan: usagePlan }),
    })
    .where('id', '=', consumerId)
    .execute()
}

/** Lists the ids of the print providers. Consumers with the provider role act for one of them. */
export async function listProviderIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('provider').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}
