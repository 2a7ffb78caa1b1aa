import { sealedBoxesOf } from '@despatch/access/sealed-box'
import {
  callbackDestinationPurpose,
  callbackSecretPurpose,
} from '@despatch/domain/callback/destination'
import { type CallDecision, mayCall, renderRange } from '@despatch/domain/callback/may-call'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { createHealthApi } from '@despatch/http/health-api'
import { listenOptions } from '@despatch/http/listen-options'
import { close, type Service } from '@despatch/http/service'
import { callbackKind } from '@despatch/store/callback/callback-kind'
import { endTurns } from '@despatch/store/callback/end-turns'
import { dueCallbacks } from '@despatch/store/callback/nudge-deliverers'
import { type CallbackRecord, recordCallbacks } from '@despatch/store/callback/record'
import { createSettledPositions } from '@despatch/store/callback/settled-positions'
import { listLiveSecrets } from '@despatch/store/callback/signing-secrets'
import { takeCallbacks } from '@despatch/store/callback/take'
import { type Database, type DatabaseOptions, openDatabase } from '@despatch/store/database'
import { createGroupCommit } from '@despatch/store/group-commit'
import { registerClockSkew } from '@despatch/telemetry/clock-skew'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { openTracing } from '@despatch/telemetry/open-tracing'
import { registerPoolMetrics } from '@despatch/telemetry/pool-metrics'
import type { Tracing } from '@despatch/telemetry/tracing'
import { findExpired, giveUpBatches } from '@despatch/work/batch-lease'
import { listenForNudges, type NudgeListener } from '@despatch/work/nudges'
import { startPeriodicTasks } from '@despatch/work/periodic-tasks'
import { LRUCache } from 'lru-cache'
import type { CallbacksConfig } from './config.ts'
import { type CallbackMetrics, createCallbackMetrics } from './delivery/callback-metrics.ts'
import { type DeliverContext, deliver } from './delivery/deliver.ts'
import {
  checkDeliveryLoop,
  type DeliveryLoop,
  startDeliveryLoop,
} from './delivery/delivery-loop.ts'
import { createOpenDestination } from './delivery/destination.ts'
import {
  countOpenBreakers,
  type OriginCalls,
  recordOriginCalls,
  recordOriginCallsTogether,
} from './delivery/origin-calls.ts'
import { createSecretsOf } from './delivery/signing.ts'
import { openClientCertificates } from './outbound/client-certificates.ts'
import { type Outbound, openOutbound } from './outbound/outbound.ts'
import { createResolve } from './outbound/resolve.ts'

const name = 'callbacks'
const connectionsMax = 6
/** The taking of callbacks is sequential, on one connection that pipelines its statements. */
const takingConnectionsMax = 1
const callMsMax = 15_000
const leaseMs = 20_000
const lastCallsFactor = 4
const probeSeconds = 20
/** A longer turn saves searches. If the process dies, all of it counts as interrupted. */
const turnLength = 4
const originCallsEveryMs = 100
const targetsMax = 1_000
const giveUpEveryMs = 2_000

export type CallbacksOptions = {
  log: Logger
  /** How long the database may stay silent during a statement. Tests shorten it. */
  silence?: Pick<DatabaseOptions, 'silenceMsMax'>
  /** How often due callbacks are polled for if no nudge arrives. Tests lengthen it. */
  pollMs?: number
}

/**
 * Creates the service that delivers callbacks. It reads due callbacks from their table, and serves only health checks
 * and metrics.
 */
export async function createCallbacks(
  config: CallbacksConfig,
  { log, silence = {}, pollMs = 500 }: CallbacksOptions,
): Promise<Service> {
  const onError = (error: Error) => log.error({ err: error }, 'callbacks.trouble')
  const allowed = config.DESPATCH_CALLBACK_ALLOW
  const certificates =
    config.DESPATCH_CALLBACK_CLIENT_CERTIFICATES &&
    openClientCertificates(config.DESPATCH_CALLBACK_CLIENT_CERTIFICATES, { onError })
  const registry = createMetrics(name)
  await using parts = new AsyncDisposableStack()
  const tracing = parts.adopt(await openTracing(name, { settings: config, log }), close)
  const database = parts.adopt(
    openDatabase(config.DATABASE_URL, { name, connectionsMax, prefersIndexes: true, ...silence }),
    close,
  )
  const { db, pool } = database
  registerPoolMetrics(registry, pool)
  registerClockSkew(registry, { pool })
  const metrics = createCallbackMetrics(registry, () => countOpenBreakers(db))
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
    checkDeliveryLoop(loop, new Date()),
  ]
  // Opened before the delivery loop, because it answers until the last call under way has ended.
  const api = parts.adopt(
    await createHealthApi({ ...listenOptions(config), name, log, metrics: registry, ready }),
    close,
  )
  const originCalls = parts.adopt(
    recordOriginCallsTogether({
      record: (calls) => recordOriginCalls(db, calls),
      everyMs: originCallsEveryMs,
      onError,
    }),
    close,
  )
  const outbound = parts.adopt(
    openOutbound({
      allowed,
      ...(certificates && { certificates }),
      ...(config.DESPATCH_CALLBACK_PROXY && { proxy: config.DESPATCH_CALLBACK_PROXY }),
      // This process alone may use the limit of all processes.
      callsPerOriginMax: lastCallsFactor * config.DESPATCH_CALLBACK_ORIGIN_CONCURRENCY,
      deadlineMs: callMsMax,
      // Names that only a search list completes have addresses that are not public.
      resolve: createResolve({ searchesToo: allowed.length > 0 }),
    }),
    close,
  )
  const context = deliverContext(config, {
    database,
    outbound,
    originCalls,
    metrics,
    log,
    tracing,
  })
  const taking = parts.adopt(
    openDatabase(config.DATABASE_URL, {
      name,
      connectionsMax: takingConnectionsMax,
      pipeline: true,
      prefersIndexes: true,
      ...silence,
    }),
    close,
  )
  // Calls under way end by their deadline and are recorded, because an unrecorded call would be repeated.
  const loop = parts.adopt(
    startTaking(config, {
      pool: taking.pool,
      context,
      pollMs,
      restMs: () => nudges.pauseMs(pollMs),
      onError,
    }),
    close,
  )
  parts.adopt(
    startPeriodicTasks(
      [
        {
          name: 'give-up-turns',
          everyMs: giveUpEveryMs,
          pass: async () => {
            // no lease is renewed, so after an outage of the database nobody has to be given time to do so
            const { isExpired } = await findExpired(db, callbackKind)
            const calls = isExpired ? await giveUpBatches(db, callbackKind) : 0
            if (calls > 0) log.warn({ calls }, 'callbacks.interrupted')
            if (isExpired) loop.wake()
            return 'idle'
          },
        },
      ],
      { db, service: name, log },
    ),
    close,
  )
  const nudges: NudgeListener = parts.adopt(
    listenForNudges({
      url: config.DATABASE_URL,
      name: `${name} nudges`,
      kind: dueCallbacks,
      onNudge: loop.wake,
      onError,
    }),
    close,
  )
  if (allowed.length > 0) {
    log.warn({ ranges: allowed.map(renderRange) }, 'callbacks.ranges-allowed')
  }
  const opened = parts.move()
  return { name, api, ready, metrics: registry, close: () => opened.disposeAsync() }
}

type Parts = {
  database: Database
  outbound: Outbound
  originCalls: OriginCalls
  metrics: CallbackMetrics
  log: Logger
  tracing: Tracing
}

function deliverContext(
  config: CallbacksConfig,
  { database, outbound, originCalls, metrics, log, tracing }: Parts,
): DeliverContext {
  const { db, pool } = database
  const boxFor = sealedBoxesOf({
    secretKeyHex: config.DESPATCH_KEY_CALLBACKS,
    previousKeysHex: config.DESPATCH_KEY_CALLBACKS_PREVIOUS,
  })
  // A consumer gives the same target for most of its print jobs.
  const decisions = new LRUCache<string, CallDecision>({
    max: targetsMax,
    memoMethod: (target) => mayCall(target, config.DESPATCH_CALLBACK_ALLOW),
  })
  return {
    outbound,
    mayCall: (target) => decisions.memo(target),
    openDestination: createOpenDestination(boxFor(callbackDestinationPurpose)),
    secretsOf: createSecretsOf({
      findSealed: (consumerIds) => listLiveSecrets(db, consumerIds),
      unseal: boxFor(callbackSecretPurpose).unseal,
    }),
    record: recordTogether(pool, { log, tracing }),
    noteCall: originCalls.note,
    leaseMs,
    callMsMax,
    random: Math.random,
    metrics,
    log,
    tracing,
  }
}

function startTaking(
  config: CallbacksConfig,
  {
    pool,
    context,
    pollMs,
    restMs,
    onError,
  }: {
    pool: Database['pool']
    context: DeliverContext
    pollMs: number
    restMs: () => number
    onError: (error: Error) => void
  },
): DeliveryLoop {
  const limits = {
    callsPerOriginMax: config.DESPATCH_CALLBACK_ORIGIN_CONCURRENCY,
    lastCallsFactor,
    callsPerSecondMax: config.DESPATCH_CALLBACK_ORIGIN_RATE,
    probeSeconds,
    reservedCalls: Math.floor(config.DESPATCH_CALLBACK_CONCURRENCY / 4),
    turnLength,
  }
  const settledPositions = createSettledPositions()
  return startDeliveryLoop({
    take: async (wanted) => {
      const leaseSeconds = leaseMs / 1000
      const take = await takeCallbacks(pool, { ...wanted, leaseSeconds, limits, settledPositions })
      if (take.kind === 'taken') context.metrics.taken(take.callbacks.length)
      return take
    },
    endTurns: (ended) => endTurns(pool, ended),
    deliver: (callback, turn) => deliver(context, callback, turn),
    concurrency: config.DESPATCH_CALLBACK_CONCURRENCY,
    pollMs,
    restMs,
    leaseMs,
    onError,
  })
}

const recordsPerCommitMax = 200
const commitsMax = 2

/**
 * Returns a function that records deliveries that end at the same time in one commit, and logs them in one line
 * unless each has a line that names its trace. It returns false for a callback that another process has taken
 * meanwhile.
 */
function recordTogether(
  pool: Database['pool'],
  { log, tracing }: Pick<Parts, 'log' | 'tracing'>,
): (record: CallbackRecord) => Promise<boolean> {
  return createGroupCommit({
    itemsMax: recordsPerCommitMax,
    commitsMax,
    commit: async (records: readonly CallbackRecord[]) => {
      const written = new Set(await recordCallbacks(pool, [...records]))
      const callbackIds = records
        .filter(({ id, next }) => next.kind === 'delivered' && written.has(id))
        .map(({ id }) => id)
      if (callbackIds.length > 0 && !tracing.isOn) {
        log.info({ count: callbackIds.length, callbackIds }, 'callbacks.delivered')
      }
      return records.map(({ id }) => written.has(id))
    },
  })
}
