import { startComposers } from '@despatch/composer/composers'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { createHealthApi } from '@despatch/http/health-api'
import type { Service } from '@despatch/http/service'
import { openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { openQueues } from '@despatch/queue/open-queues'
import type { Repeated } from '@despatch/queue/repeat'
import { repeat } from '@despatch/queue/repeat'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { openTracing } from '@despatch/telemetry/open-tracing'
import { registerPoolMetrics } from '@despatch/telemetry/pool-metrics'
import { openVirusScanner } from '@despatch/virus-scanner/virus-scanner'
import { checkClock } from './check-clock.ts'
import type { PipelineConfig } from './config.ts'
import { countSweepFindings, registerLoopMetrics } from './loop-metrics.ts'
import { createOrphanWalk, type OrphanOptions } from './orphans.ts'
import { nothingPredefined, predefinedByRecipient } from './predefined-outcome.ts'
import { createGathering } from './print-run.ts'
import { releaseNextPrintRun } from './print-run-release.ts'
import { createPurge } from './purge.ts'
import { watchQueues } from './queue-watch.ts'
import { startRelay } from './relay.ts'
import { createRemover, type Remover } from './remover.ts'
import { type RunStageContext, runStage } from './run-stage.ts'
import { watchScanner } from './scanner-watch.ts'
import type { Stage } from './stage.ts'
import { watchStages } from './stage-watch.ts'
import { quarantine } from './stages/quarantine.ts'
import { validate } from './stages/validate.ts'
import { createStepCommits } from './step-commits.ts'
import { startSweep } from './sweep.ts'
import type { TracePrintRuns } from './trace-print-runs.ts'

/** Every stage of the pipeline, in the order in which a print job meets them. */
const stages = [quarantine, validate] as const

const connectionsMax = 8
/** A loop whose last good pass is older than this many of its intervals is stuck. */
const intervalsMissedMax = 10
const passAgeMsMin = 30_000
/** Looking for a print run to release reads an index that is empty most of the time. */
const releaseLookMsMax = 1_000

export type PipelineService = Service & {
  /** Carries committed wake-ups at once instead of at the next look. */
  nudge(): void
}

export async function createPipeline(
  config: PipelineConfig,
  { log }: { log: Logger },
): Promise<PipelineService> {
  const name = 'pipeline'
  const onError = (error: Error) => log.error({ err: error }, 'pipeline.trouble')
  const tracing = await openTracing(name, { settings: config, log })
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax })
  const { db } = database
  const queues = openQueues({ url: config.QUEUE_URL ?? config.DATABASE_URL, onError })
  const objects = openObjectStore(objectStoreFrom(config))
  const composers = startComposers({ threadsMax: config.DESPATCH_COMPOSE_THREADS })
  const relay = startRelay({ db, queues, everyMs: config.DESPATCH_RELAY_INTERVAL_MS, onError })
  const nudge = () => relay.nudge()
  const uploadBytesMax = config.DESPATCH_UPLOAD_BYTES_MAX
  const now = () => new Date()
  const metrics = createMetrics(name)
  registerPoolMetrics(metrics, database.pool)
  const queueStates = watchQueues({ counts: () => queues.counts(), registry: metrics, now })
  const workers = watchStages({
    stages: stages.map(({ queue }) => queue),
    registry: metrics,
    queues: queueStates,
    now,
  })
  const scanner =
    config.CLAMAV_URL === undefined
      ? undefined
      : watchScanner({
          scanner: openVirusScanner(config.CLAMAV_URL, {
            timeoutMs: config.DESPATCH_SCAN_TIMEOUT_MS,
          }),
          log,
          registry: metrics,
          now,
        })
  if (!scanner) log.info('virus-scanner.absent')
  const context: RunStageContext = {
    db,
    effects: {
      objects,
      makeDocument: composers.makeDocument,
      ...(scanner && { scanner }),
      scanPauseSeconds: config.DESPATCH_SCAN_PAUSE_SECONDS,
      uploadBytesMax,
      now,
    },
    predefinedOutcome:
      config.DESPATCH_ENVIRONMENT === 'uat'
        ? predefinedByRecipient({ uploadBytesMax, now })
        : nothingPredefined,
    commits: createStepCommits(db, config.DESPATCH_STEP_LEASE_SECONDS),
    leaseSeconds: config.DESPATCH_STEP_LEASE_SECONDS,
    log,
    tracing,
    nudgeRelay: nudge,
  }
  const consumeStage = <Facts>(stage: Stage<Facts>) =>
    queues.consume(
      stage.queue,
      (task, signal) => workers.run(stage.queue, () => runStage(context, stage, task, signal)),
      { concurrency: config.DESPATCH_PIPELINE_CONCURRENCY, onError },
    )
  const consumers = [consumeStage(quarantine), consumeStage(validate)]
  const sweep = startSweep({
    db,
    objects,
    stages,
    queues: queueStates,
    everyMs: config.DESPATCH_SWEEP_INTERVAL_MS,
    onError,
    nudgeRelay: nudge,
    onFound: countSweepFindings(metrics),
  })
  const printRuns = startPrintRuns(config, { db, tracing, onError })
  const releases = startReleases(config, { db, tracing, onError })
  const remover = createRemover({ db, objects, registry: metrics, now })
  const removal = startRemoval(config, { db, objects, remover, onError, now })
  const deploymentDays = config.DESPATCH_RETENTION_DAYS
  const purge = repeat({
    everyMs: config.DESPATCH_PURGE_INTERVAL_MS,
    onError,
    pass: createPurge({ db, objects, remover, deploymentDays, registry: metrics, log, now }),
  })

  registerLoopMetrics(
    metrics,
    { relay, sweep, 'print-runs': printRuns, 'print-run-releases': releases, removal },
    now,
  )

  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => database.pool.query('select 1')),
    await checkHealth('object-store', () => objects.check()),
    await checkClock(database.pool),
    ...(scanner ? [await scanner.health()] : []),
    ...(await workers.health()),
    checkLoop('relay', relay, config.DESPATCH_RELAY_INTERVAL_MS),
    checkLoop('sweep', sweep, config.DESPATCH_SWEEP_INTERVAL_MS),
    checkLoop('print-runs', printRuns, printRunsEveryMs(config)),
    checkLoop('print-run-releases', releases, printRunsEveryMs(config)),
    checkLoop('removal', removal, config.DESPATCH_SWEEP_INTERVAL_MS),
    checkLoop('purge', purge, config.DESPATCH_PURGE_INTERVAL_MS),
  ]
  const api = await createHealthApi({ name, log, metrics, ready })
  return {
    name,
    api,
    ready,
    metrics,
    nudge,
    close: async () => {
      const loops = [relay, sweep, printRuns, releases, removal, purge]
      await Promise.all(loops.map((loop) => loop.close()))
      await Promise.all(consumers.map((consumer) => consumer.close()))
      await composers.close()
      await queues.close()
      await api.close()
      objects.close()
      await database.close()
      await tracing.close()
    },
  }
}

/** Removes what is doomed, and looks for what is forgotten, a page at a time. */
function startRemoval(
  config: PipelineConfig,
  {
    remover,
    onError,
    ...walked
  }: OrphanOptions & { remover: Remover; onError: (error: Error) => void },
): Repeated {
  const walkOn = createOrphanWalk(walked)
  return repeat({
    everyMs: config.DESPATCH_SWEEP_INTERVAL_MS,
    onError,
    pass: async () => {
      const outcome = await remover.pass()
      await walkOn()
      return outcome
    },
  })
}

function startPrintRuns(
  config: PipelineConfig,
  { db, tracing, onError }: TracePrintRuns,
): Repeated {
  return repeat({
    everyMs: printRunsEveryMs(config),
    onError,
    pass: createGathering({
      db,
      traced: { tracing, onError },
      runAgeMs: config.DESPATCH_PRINT_RUN_AGE_MS,
      documentsMax: config.DESPATCH_PRINT_RUN_DOCUMENTS_MAX,
    }),
  })
}

function startReleases(config: PipelineConfig, { db, tracing, onError }: TracePrintRuns): Repeated {
  return repeat({
    everyMs: Math.min(printRunsEveryMs(config), releaseLookMsMax),
    onError,
    pass: () => releaseNextPrintRun({ db, traced: { tracing, onError } }),
  })
}

/** Often enough that a run's release is late by a third of its age at most. */
function printRunsEveryMs({ DESPATCH_PRINT_RUN_AGE_MS }: PipelineConfig): number {
  return Math.min(Math.max(DESPATCH_PRINT_RUN_AGE_MS / 3, 200), 10_000)
}

/** `isRunning` of a worker says little: what counts is when a pass last ended well. */
function checkLoop(name: string, loop: Repeated, everyMs: number): HealthCheck {
  const ageMs = Date.now() - loop.lastPassAt().getTime()
  if (ageMs <= Math.max(everyMs * intervalsMissedMax, passAgeMsMin)) return { name, ok: true }
  return { name, ok: false, reason: `no good pass for ${Math.round(ageMs / 1000)} s` }
}
