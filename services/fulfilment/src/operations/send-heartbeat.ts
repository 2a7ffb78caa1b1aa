import { sendHeartbeat as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { Api } from '@despatch/http/api'
import { repeatLost } from '@despatch/postgres/lost-reply'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { clockSkewSeconds } from '../request/clock-skew.ts'
import { providerOf } from '../request/provider-of.ts'

/** POST /heartbeat: records that the provider is present. */
export function sendHeartbeat(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const receivedAt = await updateLastSeen(db, providerOf(request.caller))
      return {
        receivedAt: receivedAt.toISOString(),
        ...clockSkewSeconds(request.body?.sentAt, receivedAt),
      }
    },
  })
}

/** Records that the provider is present. Returns the time by the database's clock. */
async function updateLastSeen(db: Db, providerId: string): Promise<Date> {
  const update = sql<{ seenAt: Date }>`
    update provider set last_seen_at = clock_timestamp() where id = ${providerId}
    returning last_seen_at as "seenAt"`
  const { rows } = await repeatLost(() => update.execute(db))
  if (!rows[0]) throw new Error(`There is no provider ${providerId}`)
  return rows[0].seenAt
}
