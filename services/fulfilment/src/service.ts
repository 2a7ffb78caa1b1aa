import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { openUsageLimits } from '@despatch/access/usage-limits'
import { startComposers } from '@despatch/composer/composers'
import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { openTracing } from '@despatch/telemetry/open-tracing'
import { registerPoolMetrics } from '@despatch/telemetry/pool-metrics'
import { createFulfilmentApi } from './api.ts'
import type { FulfilmentConfig } from './config.ts'
import { startFileDrop } from './file-drop/start-file-drop.ts'

const connectionsMax = 8
/** Threads that build print streams. They start when there is work. */
const threadsMax = 2

export async function createFulfilment(
  config: FulfilmentConfig,
  { log }: { log: Logger },
): Promise<Service> {
  const name = 'fulfilment'
  const tracing = await openTracing(name, { settings: config, log })
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax })
  const { db, pool } = database
  const objects = openObjectStore(objectStoreFrom(config))
  const composers = startComposers({ threadsMax })
  const metrics = createMetrics(name)
  registerPoolMetrics(metrics, database.pool)
  const usage = openUsageLimits({
    service: printFulfilmentPrefix.slice(1),
    database,
    settings: config,
    log,
    metrics,
  })
  const ready = async (): Promise<HealthCheck[]> => [
    // no check of the object store: providers can claim, report and post without it
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const shared = {
    objects,
    composers,
    log,
    tracing,
    leaseSeconds: config.DESPATCH_CLAIM_LEASE_SECONDS,
    linkSeconds: config.DESPATCH_DOCUMENT_LINK_SECONDS,
  }
  const api = await createFulfilmentApi({
    ...shared,
    db,
    metrics,
    ready,
    authenticate: createAuthenticator({ db, role: 'provider' }),
    limit: usage.limit,
  })
  const everyMs = config.DESPATCH_FILE_DROP_INTERVAL_MS
  const fileDrop = everyMs === 0 ? undefined : await startFileDrop({ ...shared, everyMs, database })
  return {
    name,
    api,
    ready,
    metrics,
    close: async () => {
      await api.close()
      await fileDrop?.close()
      await composers.close()
      await usage.close()
      objects.close()
      await database.close()
      await tracing.close()
    },
  }
}
