import { openCheckBudget } from '@despatch/access/check-budget'
import { openUsageStore } from '@despatch/access/usage-store'
import { startComposers } from '@despatch/composer/composers'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { createHealthApi } from '@despatch/http/health-api'
import { listenOptions } from '@despatch/http/listen-options'
import { close, closeTogether, type Service } from '@despatch/http/service'
import { openLetterTemplates } from '@despatch/letters/letter-templates'
import { type ObjectStoreDeadlines, openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { openQueues } from '@despatch/queue/open-queues'
import { openDatabase } from '@despatch/store/database'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import { readTemplateFiles } from '@despatch/store/template/versions'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { openTracing } from '@despatch/telemetry/open-tracing'
import { registerPoolMetrics } from '@despatch/telemetry/pool-metrics'
import { recordWaits } from '@despatch/telemetry/wait-metrics'
import { startTypesetters } from '@despatch/templates/typesetters'
import { listenForNudges, type NudgeListener } from '@despatch/work/nudges'
import { startPeriodicTasks } from '@despatch/work/periodic-tasks'
import type { PipelineConfig } from './config.ts'
import { printRunTasks, upkeepTasks } from './upkeep/upkeep-tasks.ts'
import { registerUnstoredMetric } from './watch/loop-metrics.ts'
import { watchLoops } from './watch/loops.ts'
import { controlWork } from './watch/work-control.ts'
import { createHandBack } from './work/hand-back.ts'
import { startLetters } from './work/start-letters.ts'

const name = 'pipeline'
const connectionsMax = 8
/**
 * Short, because little work is lost when a step is handed back: a step is short unless a dependency is slow or away.
 */
const finishMsMaxDefault = 5_000

export type PipelineService = Service & {
  /** Makes the scheduler look for committed letters now instead of at the next interval. */
  nudge(): void
}

export type PipelineOptions = {
  log: Logger
  /** How long steps may take to finish once the process closes, in milliseconds. The others are handed back. */
  finishMsMax?: number
  /** The longest pause between two searches for letters that wait. Tests change it. */
  everyMs?: number
  /** This machine's clock. Tests set it wrong. */
  now?: () => Date
  /** Deadlines for calls to other systems, in milliseconds. Tests shorten them. */
  deadlines?: {
    silenceMsMax?: number
    answerMsMax?: number
    objects?: Partial<ObjectStoreDeadlines>
  }
}

export async function createPipeline(
  config: PipelineConfig,
  {
    log,
    finishMsMax = finishMsMaxDefault,
    deadlines = {},
    everyMs = 250,
    now = () => new Date(),
  }: PipelineOptions,
): Promise<PipelineService> {
  const onError = (error: Error) => log.error({ err: error }, 'pipeline.trouble')
  await using parts = new AsyncDisposableStack()
  const tracing = parts.adopt(await openTracing(name, { settings: config, log }), close)
  const { silenceMsMax, answerMsMax } = deadlines
  const database = parts.adopt(
    openDatabase(config.DATABASE_URL, {
      prefersIndexes: true,
      name,
      connectionsMax,
      ...(silenceMsMax !== undefined && { silenceMsMax }),
    }),
    close,
  )
  const { db, pool } = database
  const metrics = createMetrics(name)
  registerPoolMetrics(metrics, pool)
  registerUnstoredMetric(metrics, db)
  const objects = parts.adopt(openObjectStore(objectStoreFrom(config), deadlines.objects), close)
  // Opened before the workers and therefore closed after them, because it answers until the last step under way has
  // ended.
  const api = parts.adopt(
    await createHealthApi({
      ...listenOptions(config),
      name,
      log,
      metrics,
      ready: () => ready(),
      alive: () => alive(),
    }),
    close,
  )
  const queues = parts.adopt(
    openQueues({
      url: config.QUEUE_URL ?? config.DATABASE_URL,
      onError,
      ...(answerMsMax !== undefined && { answerMsMax }),
    }),
    close,
  )
  const store = openUsageStore({ queueUrl: config.QUEUE_URL, pool, log, metrics })
  parts.defer(() => store.close())
  const checkBudget = parts.adopt(
    openCheckBudget({ store, secondsPerHour: config.DESPATCH_CHECK_SECONDS_PER_HOUR }),
    close,
  )
  const onWaited = recordWaits(metrics)
  const composers = parts.adopt(
    startComposers({
      threadsMax: config.DESPATCH_COMPOSE_THREADS,
      work: 'letter',
      onUsed: checkBudget.spend,
      onWaited,
    }),
    close,
  )
  const typesetters = parts.adopt(
    startTypesetters({
      processesMax: config.DESPATCH_COMPOSE_THREADS,
      onWaited,
      onUsed: checkBudget.spend,
    }),
    close,
  )
  const templates = openLetterTemplates({
    readFiles: (name) => readTemplateFiles(db, name),
    typesetters,
  })
  const loops = watchLoops(metrics, now)
  parts.adopt(loops.parts, closeTogether)
  const control = await controlWork({ database, objects, log, registry: metrics, now, onError })
  const handBack = createHandBack({ db, finishMsMax, onError })
  parts.defer(() => {
    handBack.begin()
    control.endWaits()
  })
  const shared = { database, db, objects, control, loops, log, tracing, metrics, now, onError }
  const letters = startLetters(config, {
    ...shared,
    everyMs,
    restMs: () => nudges.pauseMs(everyMs),
    queues,
    composers,
    templates,
    checkBudget,
    handBack,
    onSteered: () => tasks.nudge('sweep'),
  })
  const tasks = loops.add(
    startPeriodicTasks(
      [...letters.tasks, ...printRunTasks(config, shared), ...upkeepTasks(config, shared)],
      { db, service: name, prefersIndexes: true, log },
    ),
  )
  for (const task of tasks.running) loops.watch(task)

  const needs = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
    await checkHealth('object-store', () => objects.check()),
    await control.checkClock(),
    ...(await letters.checkScanner()),
  ]
  // While a dependency is away, workers that stand still are not stuck: a restart would not help.
  const alive = async (): Promise<HealthCheck[]> => {
    const stuck = (await letters.workers.alive()).filter(({ ok }) => !ok)
    if (stuck.length === 0) return []
    return (await needs()).every(({ ok }) => ok) ? stuck : []
  }
  const ready = async (): Promise<HealthCheck[]> => [
    ...(await needs()),
    ...(await letters.workers.health()),
    ...loops.checks(),
  ]
  const nudges: NudgeListener = parts.adopt(
    listenForNudges({
      url: config.DATABASE_URL,
      name: `${name} nudges`,
      kind: letterKind.name,
      onNudge: letters.nudge,
      onError,
    }),
    close,
  )
  const opened = parts.move()
  return {
    name,
    api,
    ready,
    alive,
    metrics,
    nudge: letters.nudge,
    close: () => opened.disposeAsync(),
  }
}
