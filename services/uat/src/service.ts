import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { listenOptions } from '@despatch/http/listen-options'
import { close, type Service } from '@despatch/http/service'
import { openDatabase } from '@despatch/store/database'
import { registerClockSkew } from '@despatch/telemetry/clock-skew'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createUatApi } from './api.ts'
import type { UatConfig } from './config.ts'

const name = 'uat'
const connectionsMax = 2
const letterFactor = 20
/** Longer than a callback waits for its response. */
const slowAnswerMs = 20_000

/**
 * Creates the service that only the test environment has: the list of scenarios, print outcomes, and a receiver of
 * callbacks.
 */
export async function createUat(
  config: UatConfig,
  { log, slowMs = slowAnswerMs }: { log: Logger; slowMs?: number },
): Promise<Service> {
  await using parts = new AsyncDisposableStack()
  const database = parts.adopt(openDatabase(config.DATABASE_URL, { name, connectionsMax }), close)
  const metrics = createMetrics(name)
  registerClockSkew(metrics, database)
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => database.pool.query('select 1')),
  ]
  const closing = new AbortController()
  const api = parts.adopt(
    await createUatApi({
      listen: {
        ...listenOptions(config),
        // One address asks for each letter that it prints, and receives a callback for each.
        sourceRequestsPerSecond: letterFactor * config.DESPATCH_SOURCE_REQUESTS_PER_SECOND,
      },
      db: database.db,
      slowMs,
      closing: closing.signal,
      log,
      metrics,
      ready,
    }),
    close,
  )
  // Ends the slow responses that the API would wait for.
  parts.defer(() => closing.abort())
  const opened = parts.move()
  return { name, api, ready, close: () => opened.disposeAsync() }
}
