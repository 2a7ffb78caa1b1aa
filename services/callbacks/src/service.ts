import { createSealedBox } from '@despatch/access/sealed-box'
import { callbackAuthenticationPurpose } from '@despatch/domain/callback/sealing'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { createHealthApi } from '@despatch/http/health-api'
import type { Service } from '@despatch/http/service'
import { openQueues } from '@despatch/queue/open-queues'
import type { Repeated } from '@despatch/queue/repeat'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createCallbackCommits } from './callback-commits.ts'
import { createCallbackMetrics } from './callback-metrics.ts'
import type { CallbacksConfig } from './config.ts'
import { type DeliverContext, deliver } from './deliver.ts'
import { createOriginSlots } from './origin-slots.ts'
import { openOutbound } from './outbound.ts'
import { startSweep } from './sweep.ts'

const name = 'callbacks'
const connectionsMax = 6
const callMsMax = 15_000
const leaseMs = 20_000
const callsPerOriginMax = 8
const originPatienceMs = 1_000
const originDelayMsMax = 300_000
/** A sweep whose last good pass is older than this many of its intervals is stuck. */
const passesMissedMax = 10
const passAgeMsMin = 30_000

/** The process that delivers callbacks: it works from the queue `callback`, and serves nothing but its health. */
export async function createCallbacks(
  config: CallbacksConfig,
  { log }: { log: Logger },
): Promise<Service> {
  const onError = (error: Error) => log.error({ err: error }, 'callbacks.trouble')
  const allowed = config.DESPATCH_CALLBACK_ALLOW
  const everyMs = config.DESPATCH_CALLBACK_SWEEP_INTERVAL_MS
  const metrics = createMetrics(name)
  const box = createSealedBox(config.DESPATCH_SECRET_KEY)
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
    unseal: (sealed) => box.unseal(sealed, callbackAuthenticationPurpose).toString('utf8'),
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
    checkSweep(sweep, everyMs),
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

/** A consumer that says it runs may be stuck: what counts is when a pass last ended well. */
function checkSweep(sweep: Repeated, everyMs: number): HealthCheck {
  const ageMs = Date.now() - sweep.lastPassAt().getTime()
  if (ageMs <= Math.max(everyMs * passesMissedMax, passAgeMsMin)) return { name: 'sweep', ok: true }
  return { name: 'sweep', ok: false, reason: `no good pass for ${Math.round(ageMs / 1000)} s` }
}
