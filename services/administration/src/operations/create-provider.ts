import { renderProvider } from '@despatch/contracts/administration/provider'
import { createProvider as operation } from '@despatch/contracts/administration/provider-operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../operator/actor-of.ts'
import { requireProvider } from '../print-run/print-runs.ts'
import { createProvider as create } from '../provider/providers.ts'

/** POST /providers: creates a print provider. Its sites get work once they are enabled. */
export function createProvider(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body, caller }, reply) => {
      const { providerId, name, exchange, awaySecondsMax = null } = body
      const printLocations = [...new Set(body.printLocations)]
      const terms = { name, exchange, awaySecondsMax }
      await transact(db, async (tx) => {
        if (!(await create(tx, providerId, terms, printLocations))) {
          throw new Problem('provider-taken', `Print provider ${providerId} already exists`)
        }
        const detail = { providerId, exchange, awaySecondsMax, printLocations }
        await insertAuditEvent(tx, { actor: actorOf(caller), action: 'provider.created', detail })
      })
      return reply.code(201).send(renderProvider(await requireProvider(db, providerId)))
    },
  })
}
