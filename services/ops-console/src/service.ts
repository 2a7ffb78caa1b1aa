import type { IncomingHttpHeaders } from 'node:http'
import { createConsoleSessions } from '@despatch/access/console-session'
import { allowsLocalAccounts } from '@despatch/config/shared-settings'
import { serveApiReference } from '@despatch/http/api-reference'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { createHealthApi } from '@despatch/http/health-api'
import { listenOptions } from '@despatch/http/listen-options'
import { addToLogLine } from '@despatch/http/request-log'
import { close, type Service } from '@despatch/http/service'
import { shareRecent } from '@despatch/http/share-recent'
import { retryAfterSeconds } from '@despatch/http/unavailable-answer'
import { openListedQueues } from '@despatch/queue/listed-queues'
import { within } from '@despatch/queue/within'
import { openDatabase } from '@despatch/store/database'
import { registerClockSkew } from '@despatch/telemetry/clock-skew'
import type { Logger } from '@despatch/telemetry/logger'
import { Registry, renderMetrics } from '@despatch/telemetry/metrics'
import { registerPoolMetrics } from '@despatch/telemetry/pool-metrics'
import type { OpsConsoleConfig } from './config.ts'
import { readLiveFacts } from './figures/live-facts.ts'
import { readFigures } from './figures/read-figures.ts'
import { readWatch } from './figures/read-watch.ts'
import { registerOverviewMetrics } from './metrics/overview-metrics.ts'
import { registerWatchMetrics } from './metrics/watch-metrics.ts'
import { pages } from './pages/page.ts'
import { renderShell } from './pages/shell.ts'
import { registerAdministrationProxy } from './web/administration-proxy.ts'
import { openBundle } from './web/bundle.ts'
import { createLiveStreams } from './web/live-streams.ts'
import { logReadFailures } from './web/log-read-failures.ts'
import { pathOf, serveBundle, servePage } from './web/static-files.ts'
import {
  databaseAway,
  isOperator,
  notNow,
  notSignedIn,
  signInPath,
  visitorsBy,
} from './web/visitors.ts'

const name = 'ops-console'
const connectionsMax = 6
const statementTimeoutMs = 5_000
const queueAnswerMsMax = 2_000
const recentMsMax = 1_000
/** Reading it takes some tenths of a second when much is under way. */
const watchMsMax = 60_000
const streamsMax = 200
const admitEveryMs = 30_000
const administration = {
  title: 'Administration',
  slug: 'administration',
  url: '/administration/v1/openapi.json',
}

type OpsConsoleOptions = {
  log: Logger
  /** Registries of other services in this process. /metrics serves theirs too. */
  extraMetrics?: readonly Registry[]
  /** Letters are not printed: a simulated factory reports them as posted. */
  isSimulated?: boolean
  now?: () => Date
}

/**
 * Creates the console of operators: its pages and the metrics. It changes nothing: the pages call the
 * API of administration.
 */
export async function createOpsConsole(
  config: OpsConsoleConfig,
  { log, extraMetrics = [], isSimulated = false, now = () => new Date() }: OpsConsoleOptions,
): Promise<Service> {
  const onError = logReadFailures(log)
  await using parts = new AsyncDisposableStack()
  const { db, pool } = parts.adopt(
    openDatabase(config.DATABASE_URL, { name, connectionsMax, statementTimeoutMs }),
    close,
  )
  const metrics = new CombinedMetrics(name, extraMetrics)
  const overview = shareRecent(() => readFigures(db), recentMsMax)
  registerOverviewMetrics(metrics, overview)
  registerWatchMetrics(
    metrics,
    shareRecent(() => readWatch(db, () => new Date()), watchMsMax),
  )
  registerPoolMetrics(metrics, pool)
  registerClockSkew(metrics, { pool, now })

  const ready = async (): Promise<HealthCheck[]> =>
    Promise.all([
      checkHealth('database', () => pool.query('select 1')),
      checkHealth('queues', listQueues),
    ])
  const listed = parts.adopt(
    openListedQueues({ url: config.QUEUE_URL ?? config.DATABASE_URL, onError }),
    close,
  )
  const listQueues = () => within(queueAnswerMsMax, listed.list())
  const api = parts.adopt(
    await createHealthApi({ ...listenOptions(config), name, log, metrics, ready }),
    close,
  )
  const sessions = createConsoleSessions({
    db,
    secretKeyHex: config.DESPATCH_KEY_CONSOLE,
    previousKeysHex: config.DESPATCH_KEY_CONSOLE_PREVIOUS,
    allowsLocalAccounts: allowsLocalAccounts(config),
    now,
  })
  const visitorOf = visitorsBy(sessions, onError)
  if (config.DESPATCH_ADMINISTRATION_URL !== undefined) {
    await registerAdministrationProxy(api, config.DESPATCH_ADMINISTRATION_URL)
  }
  // Operators act in the console, which asks before it changes something.
  serveApiReference(api, { parts: [administration], sendsRequests: false })

  const readBundle = await openBundle()
  serveBundle(api, readBundle)
  const environment = config.DESPATCH_ENVIRONMENT
  for (const page of pages) {
    const frame = async () => {
      const bundle = await readBundle()
      return renderShell(page, { environment, isSimulated, pathOf: (file) => pathOf(bundle, file) })
    }
    // the frame of a page contains no data, so it is served even if the database cannot tell who the caller is
    servePage(api, page.path, frame, async ({ headers, url }) =>
      page.isOpen || (await visitorOf(headers)) !== 'stranger' ? undefined : signInPath(url),
    )
  }

  const streams = parts.adopt(
    createLiveStreams({
      read: readLiveFacts({
        db,
        figures: overview,
        queues: listQueues,
        batches: (batchesMax) => within(queueAnswerMsMax, listed.listBatches(batchesMax)),
        failedTasks: (tasksMax) => within(queueAnswerMsMax, listed.listFailed(tasksMax)),
        onError,
      }),
      admit: async (readers: readonly IncomingHttpHeaders[]) =>
        (await sessions.findAll(readers)).map(isOperator),
      everyMs: recentMsMax,
      streamsMax,
      admitEveryMs,
    }),
    close,
  )
  api.route({
    method: 'GET',
    url: '/events',
    logLevel: 'warn',
    config: { open: true },
    schema: { hide: true },
    handler: async (request, reply) => {
      const { headers } = request
      const visitor = await visitorOf(headers)
      if (visitor === 'stranger') return reply.code(401).send(notSignedIn)
      const stream = visitor === 'operator' && streams.open(headers)
      if (!stream) {
        if (visitor === 'unknown') addToLogLine(request, databaseAway)
        return reply.code(503).header('retry-after', retryAfterSeconds()).send(notNow)
      }
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream)
    },
  })
  const opened = parts.move()
  return { name, api, ready, close: () => opened.disposeAsync() }
}

/** A registry whose text also includes the metrics of other registries in the same process. */
class CombinedMetrics extends Registry {
  readonly #others: readonly Registry[]

  constructor(service: string, others: readonly Registry[]) {
    super()
    this.setDefaultLabels({ service })
    this.#others = others
  }

  override metrics(): Promise<string> {
    return renderMetrics([this, ...this.#others])
  }
}
