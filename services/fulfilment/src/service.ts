import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { openUsageLimits } from '@despatch/access/usage-limits'
import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createFulfilmentApi } from './api.ts'
import type { FulfilmentConfig } from './config.ts'

const connectionsMax = 8

export async function createFulfilment(
  config: FulfilmentConfig,
  { log }: { log: Logger },
): Promise<Service> {
  const name = 'fulfilment'
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax })
  const { db, pool } = database
  const objects = openObjectStore(objectStoreFrom(config))
  const metrics = createMetrics(name)
  const usage = openUsageLimits({
    service: printFulfilmentPrefix.slice(1),
    database,
    settings: config,
    log,
    metrics,
  })
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
    await checkHealth('object-store', () => objects.check()),
  ]
  const api = await createFulfilmentApi({
    db,
    objects,
    log,
    metrics,
    ready,
    authenticate: createAuthenticator({ db, role: 'provider' }),
    limit: usage.limit,
    leaseSeconds: config.DESPATCH_CLAIM_LEASE_SECONDS,
    linkSeconds: config.DESPATCH_DOCUMENT_LINK_SECONDS,
  })
  return {
    name,
    api,
    ready,
    close: async () => {
      await api.close()
      await usage.close()
      objects.close()
      await database.close()
    },
  }
}
