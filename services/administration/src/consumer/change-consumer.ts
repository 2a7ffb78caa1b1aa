import type { ListedConsumer } from '@despatch/contracts/administration/consumer'
import { consumerNotFound } from '@despatch/contracts/administration/problems'
import type { AuditAction } from '@despatch/domain/access/audit-actions'
import type { Role } from '@despatch/domain/access/caller'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { getListedConsumer, lockConsumer } from './consumers.ts'

type ConsumerChange = {
  consumerId: string
  actor: string
  /** The name of the action in the audit log. */
  action: AuditAction
  /** Makes the change. Returns the details for the audit log, or undefined if nothing had to change. */
  make(tx: Db, consumer: ListedConsumer): Promise<Record<string, unknown> | undefined>
}

/**
 * Changes a consumer and records the change, in one transaction. Returns the consumer as it is afterwards. Throws a
 * Problem if there is none.
 */
export function changeConsumer(
  db: Db,
  { consumerId, actor, action, make }: ConsumerChange,
): Promise<ListedConsumer> {
  return transact(db, async (tx) => {
    const consumer = await lockConsumer(tx, consumerId)
    if (!consumer) throw consumerNotFound(consumerId)
    const detail = await make(tx, consumer)
    if (!detail) return consumer
    await insertAuditEvent(tx, { actor, action, consumerId, detail })
    return getListedConsumer(tx, consumerId)
  })
}

/** What a consumer may do. An absent member stays unchanged. */
type ConsumerRights = {
  roles?: readonly Role[]
  providerId?: string | null
  services?: readonly string[]
  usagePlan?: string
  networks?: readonly string[]
}

/** Sets rights of a consumer, which must exist. */
export async function updateConsumerRights(
  tx: Db,
  consumerId: string,
  { roles, providerId, services, usagePlan, networks }: ConsumerRights,
): Promise<void> {
  await tx
    .updateTable('consumer')
    .set({
      ...(roles && { roles: sql<Role[]>`${roles}::text[]` }),
      ...(providerId !== undefined && { provider_id: providerId }),
      ...(services && { services: sql<string[]>`${services}::text[]` }),
      ...(usagePlan !== undefined && { usage_plan: usagePlan }),
      ...(networks && { networks: sql<string[]>`${networks}::text[]` }),
    })
    .where('id', '=', consumerId)
    .execute()
}

/** Returns whether two lists of names, each without duplicates, contain the same names. */
export function hasSameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name))
}
