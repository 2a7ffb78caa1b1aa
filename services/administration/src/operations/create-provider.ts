import { createProvider as operation } from '@despatch/contracts/administration/provider-operations'
import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { actorOf } from '../operator/access.ts'
import { type ProviderTerms, providerColumns, requireProvider } from '../provider/providers.ts'

/** POST /providers: creates a print provider. Its sites get work once they are enabled. */
export function createProvider(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body, caller }, reply) => {
      const { providerId, name, exchange, awaySecondsMax = null } = body
      const printLocations = [...new Set(body.printLocations)]
      const terms = { name, exchange, awaySecondsMax }
      await transact(db, async (tx) => {
        if (!(await insertWithSites(tx, providerId, terms, printLocations))) {
          throw new Problem('provider-taken', `Print provider ${providerId} already exists`)
        }
        const detail = { providerId, exchange, awaySecondsMax, printLocations }
        await insertAuditEvent(tx, { actor: actorOf(caller), action: 'provider.created', detail })
      })
      return reply.code(201).send(await requireProvider(db, providerId))
    },
  })
}

/** Creates a provider whose sites receive no work yet. Returns false if the id is taken. */
async function insertWithSites(
  tx: Db,
  id: string,
  terms: ProviderTerms,
  printLocations: readonly string[],
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('provider')
    .values({ id, ...providerColumns(terms) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) return false
  const capabilities = JSON.stringify(unrestrictedCapabilities)
  const site = { provider_id: id, enabled: false, capabilities }
  await tx
    .insertInto('print_site')
    .values(printLocations.map((printLocation) => ({ ...site, print_location: printLocation })))
    .execute()
  return true
}
