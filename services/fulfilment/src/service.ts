import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { openUsageLimits } from '@despatch/access/usage-limits'
import { startComposers } from '@despatch/composer/composers'
import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { listenOptions } from '@despatch/http/listen-options'
import { close, type Service } from '@despatch/http/service'
import { openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { openDatabase } from '@despatch/store/database'
import { registerClockSkew } from '@despatch/telemetry/clock-skew'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { openTracing } from '@despatch/telemetry/open-tracing'
import { registerPoolMetrics } from '@despatch/telemetry/pool-metrics'
import { recordWaits } from '@despatch/telemetry/wait-metrics'
import { createFulfilmentApi } from './api.ts'
import type { FulfilmentConfig } from './config.ts'
import { startFileDrop } from './file-drop/start-file-drop.ts'

const name = 'fulfilment'
const connectionsMax = 8
/** The maximum number of threads that build print streams. They start when there is work. */
const threadsMax = 2

export async function createFulfilment(
  config: FulfilmentConfig,
  { log }: { log: Logger },
): Promise<Service> {
  await using parts = new AsyncDisposableStack()
  const tracing = parts.adopt(await openTracing(name, { settings: config, log }), close)
  const database = parts.adopt(
    openDatabase(config.DATABASE_URL, { name, connectionsMax, prefersIndexes: true }),
    close,
  )
  const { db, pool } = database
  const metrics = createMetrics(name)
  registerPoolMetrics(metrics, pool)
  registerClockSkew(metrics, { pool })
  const objects = parts.adopt(openObjectStore(objectStoreFrom(config)), close)
  const usage = parts.adopt(
    openUsageLimits({
      service: printFulfilmentPrefix.slice(1),
      database,
      settings: config,
      log,
      metrics,
    }),
    close,
  )
  const onWaited = recordWaits(metrics)
  const composers = parts.adopt(
    startComposers({ threadsMax, work: 'print-stream', onWaited }),
    close,
  )
  const ready = async (): Promise<HealthCheck[]> => [
    // The object store is not checked, because providers can claim, report and post without it.
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const shared = { objects, composers, onWaited, log, tracing }
  const everyMs = config.DESPATCH_FILE_DROP_INTERVAL_MS
  if (everyMs > 0) parts.adopt(await startFileDrop({ ...shared, everyMs, database }), close)
  const api = parts.adopt(
    await createFulfilmentApi({
      ...shared,
      listen: listenOptions(config),
      db,
      metrics,
      ready,
      authenticate: createAuthenticator({ db, role: 'provider' }),
      limit: usage.limit,
    }),
    close,
  )
  const opened = parts.move()
  return { name, api, ready, metrics, close: () => opened.disposeAsync() }
}
