import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { createHealthApi } from '@despatch/http/health-api'
import type { Service } from '@despatch/http/service'
import { openDatabase } from '@despatch/store/database'
import { findDeadCallbacks, findFailingSteps } from '@despatch/store/overview/overview'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import { CombinedMetrics } from './combined-metrics.ts'
import type { OpsConsoleConfig } from './config.ts'
import { registerOverviewMetrics } from './overview-metrics.ts'
import { type OverviewFacts, renderOverviewPage } from './pages/overview-page.ts'
import { pageContentSecurityPolicy } from './pages/page-assets.ts'
import { registerQueueBoard } from './queue-board.ts'
import { readFigures } from './read-figures.ts'
import { shareRecent } from './share-recent.ts'

const name = 'ops-console'
const connectionsMax = 6
const statementTimeoutMs = 5_000
const queueAnswerMsMax = 2_000
const recentMsMax = 1_000
const rowsMax = 15

export type OpsConsoleOptions = {
  log: Logger
  /** Registries of other services in this process: /metrics gives theirs too. */
  extraMetrics?: readonly Registry[]
}

/** What operations looks at: one page, the queue board and metrics. It changes nothing. */
export async function createOpsConsole(
  config: OpsConsoleConfig,
  { log, extraMetrics = [] }: OpsConsoleOptions,
): Promise<Service> {
  const onError = (error: Error) => log.error({ err: error }, 'ops-console.trouble')
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax, statementTimeoutMs })
  const { db } = database
  const metrics = new CombinedMetrics(name, extraMetrics)
  const overview = shareRecent(() => readFigures(db), recentMsMax)
  registerOverviewMetrics(metrics, overview)

  const ready = async (): Promise<HealthCheck[]> =>
    Promise.all([
      checkHealth('database', () => database.pool.query('select 1')),
      checkHealth('queues', () => withinMs(board.counts(), queueAnswerMsMax)),
    ])
  const api = await createHealthApi({ name, log, metrics, ready })
  const board = await registerQueueBoard(api, {
    url: config.QUEUE_URL ?? config.DATABASE_URL,
    onError,
  })

  const readFacts = shareRecent(async (): Promise<OverviewFacts> => {
    const orUndefined = <Value>(reading: Promise<Value>) =>
      reading.catch((error: Error) => void onError(error))
    const [figures, queues, failingSteps, deadCallbacks] = await Promise.all([
      orUndefined(overview()),
      orUndefined(withinMs(board.counts(), queueAnswerMsMax)),
      orUndefined(findFailingSteps(db, rowsMax)),
      orUndefined(findDeadCallbacks(db, rowsMax)),
    ])
    return { now: new Date(), overview: figures, queues, failingSteps, deadCallbacks }
  }, recentMsMax)

  api.route({
    method: 'GET',
    url: '/',
    logLevel: 'warn',
    config: { open: true },
    schema: { hide: true },
    handler: async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('content-security-policy', pageContentSecurityPolicy)
        .send(renderOverviewPage(await readFacts())),
  })
  return {
    name,
    api,
    ready,
    close: async () => {
      await api.close()
      await board.close()
      await database.close()
    },
  }
}

/** A queue that is away keeps commands for later instead of failing them. */
async function withinMs<Value>(reading: Promise<Value>, ms: number): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms)
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}
