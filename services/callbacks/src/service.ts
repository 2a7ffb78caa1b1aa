import { sealedBox } from '@despatch/access/sealed-box'
import { callbackAuthenticationPurpose } from '@despatch/domain/callback/sealing'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { createHealthApi } from '@despatch/http/health-api'
import type { Service } from '@despatch/http/service'
import { openQueues } from '@despatch/queue/open-queues'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createCallbackCommits } from './callback-commits.ts'
import { createCallbackMetrics } from './callback-metrics.ts'
import type { CallbacksConfig } from './config.ts'
import { type DeliverContext, deliver } from './deliver.ts'
import { createOriginSlots } from './origin-slots.ts'
import { openOutbound } from './outbound.ts'
import { checkSweep, startSweep } from './sweep.ts'

const name = 'callbacks'
const connectionsMax = 6
const callMsMax = 15_000
const leaseMs = 20_000
const callsPerOriginMax = 8
const originPatienceMs = 1_000
const originDelayMsMax = 300_000

/** The process that delivers callbacks: it works from the queue `callback`, and serves nothing but its health. */
export async function createCallbacks(
  config: CallbacksConfig,
  { log }: { log: Logger },
): Promise<Service> {
  const onError = (error: Error) => log.error({ err: error }, 'callbacks.trouble')
  const allowed = config.DESPATCH_CALLBACK_ALLOW
  const everyMs = config.DESPATCH_CALLBACK_SWEEP_INTERVAL_MS
  const metrics = createMetrics(name)
  const box = sealedBox(config.DESPATCH_SECRET_KEY, { purpose: callbackAuthenticationPurpose })
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax })
  const { db } = database
  const queues = openQueues({ url: config.QUEUE_URL ?? config.DATABASE_URL, onError })
  const outbound = openOutbound({ allowed, callsPerOriginMax, deadlineMs: callMsMax })
  const context: DeliverContext = {
    commits: createCallbackCommits(db, leaseMs / 1000),
    outbound,
    slots: createOriginSlots({
      callsPerOriginMax,
      callMsMax,
      patienceMs: originPatienceMs,
      delayMsMax: originDelayMsMax,
    }),
    allowed,
    unseal: box.unseal,
    leaseMs,
    callMsMax,
    random: Math.random,
    metrics: createCallbackMetrics(metrics),
    log,
  }
  // Losing the task's lock stops nothing: the lease in the database says whose the callback is.
  const consumer = queues.consume('callback', ({ subject }) => deliver(context, subject), {
    concurrency: config.DESPATCH_CALLBACK_CONCURRENCY,
    onError,
  })
  const sweep = startSweep({ db, queues, everyMs, onError })
  if (allowed.length > 0) {
    log.warn({ ranges: allowed.map(([ip, bits]) => `${ip}/${bits}`) }, 'callbacks.ranges-allowed')
  }
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => database.pool.query('select 1')),
    checkSweep(sweep, everyMs, new Date()),
  ]
  const api = await createHealthApi({ name, log, metrics, ready })
  return {
    name,
    api,
    ready,
    close: async () => {
      await sweep.close()
      await consumer.close()
      await outbound.close()
      await queues.close()
      await api.close()
      await database.close()
    },
  }
}
