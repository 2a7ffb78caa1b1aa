import { isDeepStrictEqual } from 'node:util'
import { putProvider as operation } from '@despatch/contracts/administration/provider-operations'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { actorOf } from '../operator/access.ts'
import {
  type ProviderTerms,
  providerColumns,
  providerNotFound,
  requireProvider,
} from '../provider/providers.ts'

/**
 * PUT /providers/{providerId}: sets the provider's name, how it receives work, and after how long without contact it
 * counts as away.
 */
export function putProvider(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params, body, caller }) => {
      const { providerId } = params
      const { name, exchange, awaySecondsMax = null } = body
      const terms = { name, exchange, awaySecondsMax }
      await transact(db, (tx) => save(tx, providerId, terms, actorOf(caller)))
      return requireProvider(db, providerId)
    },
  })
}

async function save(
  tx: Db,
  providerId: string,
  terms: ProviderTerms,
  actor: string,
): Promise<void> {
  const known = await lockProvider(tx, providerId)
  if (!known) throw providerNotFound(providerId)
  if (isDeepStrictEqual({ ...known }, terms)) return
  await tx
    .updateTable('provider')
    .set(providerColumns(terms))
    .where('id', '=', providerId)
    .execute()
  const { exchange, awaySecondsMax } = terms
  const detail = { providerId, exchange, awaySecondsMax }
  await insertAuditEvent(tx, { actor, action: 'provider.saved', detail })
}

/** Reads the provider's terms and locks them until the transaction ends. */
async function lockProvider(tx: Db, id: string): Promise<ProviderTerms | undefined> {
  return tx
    .selectFrom('provider')
    .select(['name', 'exchange', 'away_seconds_max as awaySecondsMax'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}
