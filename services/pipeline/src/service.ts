import { startComposers } from '@despatch/composer/composers'
import { type WorkQueue, workQueues } from '@despatch/domain/work/lane'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import { createHealthApi } from '@despatch/http/health-api'
import { close, closeTogether, type Part, type Service } from '@despatch/http/service'
import { storeDueDocuments } from '@despatch/letters/store-documents'
import { type ObjectStoreDeadlines, openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { openQueues } from '@despatch/queue/open-queues'
import type { Repeated } from '@despatch/queue/repeat'
import { repeat } from '@despatch/queue/repeat'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { openTracing } from '@despatch/telemetry/open-tracing'
import { registerPoolMetrics } from '@despatch/telemetry/pool-metrics'
import { recordWaits } from '@despatch/telemetry/wait-metrics'
import { openVirusScanner } from '@despatch/virus-scanner/virus-scanner'
import { startCanaries } from './canaries.ts'
import type { PipelineConfig } from './config.ts'
import { createHandBack } from './hand-back.ts'
import { countSweepFindings, registerLoopMetrics, registerUnstoredMetric } from './loop-metrics.ts'
import { createOrphanWalk, type OrphanOptions } from './orphans.ts'
import { nothingPredefined, predefinedByRecipient } from './predefined-outcome.ts'
import { createGathering } from './print-run.ts'
import { type ReleaseOptions, releaseNextPrintRun } from './print-run-release.ts'
import { createPurge } from './purge.ts'
import { watchQueues } from './queue-watch.ts'
import { startRelay } from './relay.ts'
import { createRemover, type Remover } from './remover.ts'
import { type RunBatchContext, runBatch } from './run-batch.ts'
import { watchScanner } from './scanner-watch.ts'
import { startScheduler } from './schedule-work.ts'
import { quarantine } from './stages/quarantine.ts'
import { validate } from './stages/validate.ts'
import { createStepCommits } from './step-commits.ts'
import { startSweep } from './sweep.ts'
import type { TracePrintRuns } from './trace-print-runs.ts'
import { controlWork, type WorkControl } from './work-control.ts'
import { watchWorkers } from './worker-watch.ts'

/** The stage of each status in which a print job waits for the pipeline. */
const stages = { QUARANTINE: quarantine, VALIDATING: validate }

const name = 'pipeline'
const connectionsMax = 8
/** A loop whose last good pass is older than this many of its intervals is stuck. */
const intervalsMissedMax = 10
const passAgeMsMin = 30_000
/**
 * Short, because little work is lost when a step is handed back: a step is short unless a dependency is slow or away.
 */
const finishMsMaxDefault = 5_000
/** A batch more of one queue at once shares the event loop with the others and gains little. */
const lettersBatchesMax = 4
/** Long, for passes over many letters or objects. Each call in such a pass has a deadline of its own. */
const longPassMsMax = 30 * 60_000
/**
 * The longest pause between two passes. An idle pass costs little: it reads an index that is empty most of the time.
 */
const releaseLookMsMax = 1_000
/** Nothing waits for the documents but the release of their run, which stores them itself. */
const documentsEveryMs = 1_000

export type PipelineService = Service & {
  /** Makes the scheduler look for committed letters, and the relay for wake-ups, now instead of at the next interval. */
  nudge(): void
}

export type PipelineOptions = {
  log: Logger
  /** How long steps may take to finish once the process closes, in milliseconds. The others are handed back. */
  finishMsMax?: number
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
    now = () => new Date(),
  }: PipelineOptions,
): Promise<PipelineService> {
  const onError = (error: Error) => log.error({ err: error }, 'pipeline.trouble')
  await using parts = new AsyncDisposableStack()
  const tracing = parts.adopt(await openTracing(name, { settings: config, log }), close)
  const { silenceMsMax, answerMsMax } = deadlines
  const database = parts.adopt(
    openDatabase(config.DATABASE_URL, {
      name,
      connectionsMax,
      ...(silenceMsMax !== undefined && { silenceMsMax }),
    }),
    close,
  )
  const { db, pool } = database
  const metrics = createMetrics(name)
  registerPoolMetrics(metrics, pool)
  const objects = parts.adopt(openObjectStore(objectStoreFrom(config), deadlines.objects), close)
  // Opened before the workers and therefore closed after them, because it answers until the last step under way has
  // ended.
  const api = parts.adopt(
    await createHealthApi({ name, log, metrics, ready: () => ready(), alive: () => alive() }),
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
  const composers = parts.adopt(
    startComposers({
      threadsMax: config.DESPATCH_COMPOSE_THREADS,
      work: 'letter',
      onWaited: recordWaits(metrics),
    }),
    close,
  )
  const loops = parts.adopt<Part[]>([], closeTogether)
  const started = <Loop extends Part>(loop: Loop): Loop => {
    loops.push(loop)
    return loop
  }
  const relay = started(
    startRelay({ db, queues, everyMs: config.DESPATCH_RELAY_INTERVAL_MS, onError }),
  )
  const nudge = () => {
    relay.nudge()
    scheduler.nudge()
  }
  const uploadBytesMax = config.DESPATCH_UPLOAD_BYTES_MAX
  const control = await controlWork({ database, objects, log, registry: metrics, now, onError })
  const { outages } = control
  const readQueues = watchQueues({ counts: () => queues.counts(), registry: metrics, now })
  const queueStates = async () =>
    (await readQueues()).map((state) => ({
      ...state,
      isPaused: state.isPaused || control.isPaused(state.name),
    }))
  const scheduler = started(
    startScheduler({
      db,
      queues,
      // while its state is unknown, a queue counts as paused
      pausedQueues: async () => {
        const states = await queueStates().catch(() => [])
        return workQueues.filter(
          (queue) => states.find(({ name }) => name === queue)?.isPaused ?? true,
        )
      },
      everyMs: config.DESPATCH_RELAY_INTERVAL_MS,
      onError,
    }),
  )
  const workers = watchWorkers({ names: workQueues, registry: metrics, queues: queueStates, now })
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
  const handBack = createHandBack({ db, finishMsMax, onError })
  parts.defer(() => {
    handBack.begin()
    control.endWaits()
  })
  const concurrency = config.DESPATCH_PIPELINE_CONCURRENCY
  const batchesAtOnce = {
    letters: Math.min(lettersBatchesMax, concurrency),
    slow: slowAtOnce(config),
  }
  const context: RunBatchContext = {
    db,
    stages,
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
    commits: createStepCommits(db),
    handBack,
    leaseSeconds: config.DESPATCH_STEP_LEASE_SECONDS,
    lettersAtOnce: Math.ceil(concurrency / batchesAtOnce.letters),
    outages,
    log,
    tracing,
    onStageEnd: workers.noteStage,
    onTaken: (wait) => {
      workers.noteWait(wait)
      scheduler.nudge()
    },
    onError,
  }
  const consume = (queue: WorkQueue) => ({
    queue,
    concurrency: batchesAtOnce[queue],
    // letters without files need nothing else
    needs: ['database'] as const,
    consumer: started(
      queues.consume(
        queue,
        (task, signal, progress) =>
          workers.run(queue, () => runBatch(context, task, signal, progress)),
        { concurrency: batchesAtOnce[queue], onError },
      ),
    ),
  })
  const lanes = workQueues.map(consume)
  const sweep = started(
    startSweep({
      db,
      objects,
      everyMs: config.DESPATCH_SWEEP_INTERVAL_MS,
      onError,
      outages,
      nudgeScheduler: () => scheduler.nudge(),
      onFound: countSweepFindings(metrics),
    }),
  )
  started(control.steer(lanes, () => sweep.nudge()))
  const printRuns = started(startPrintRuns(config, { db, tracing, onError }))
  const releases = started(startReleases(config, { db, objects, tracing, onError }))
  const documents = started(
    repeat({
      name: 'documents',
      everyMs: documentsEveryMs,
      onError,
      pass: control.whilePossible('documents', () => storeDueDocuments({ db, objects })),
    }),
  )
  const canaries = started(
    startCanaries({
      db,
      everyMs: config.DESPATCH_CANARY_INTERVAL_MS,
      nudgeScheduler: () => scheduler.nudge(),
      onError,
    }),
  )
  const remover = createRemover({ db, objects, registry: metrics, now })
  const removal = started(startRemoval(config, { db, objects, remover, control, onError, now }))
  const deploymentDays = config.DESPATCH_RETENTION_DAYS
  const purge = started(
    repeat({
      name: 'purge',
      passMsMax: longPassMsMax,
      everyMs: config.DESPATCH_PURGE_INTERVAL_MS,
      onError,
      pass: control.whilePossible(
        'purge',
        createPurge({ db, objects, remover, deploymentDays, registry: metrics, log, now }),
      ),
    }),
  )

  registerUnstoredMetric(metrics, db)
  registerLoopMetrics(
    metrics,
    {
      ...{ relay, scheduler, sweep, documents, canaries, removal },
      ...{ 'print-runs': printRuns, 'print-run-releases': releases },
    },
    now,
  )

  const needs = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
    await checkHealth('object-store', () => objects.check()),
    await control.checkClock(),
    ...(scanner ? [await scanner.health()] : []),
  ]
  // While a dependency is away, workers that stand still are not stuck: a restart would not help.
  const alive = async (): Promise<HealthCheck[]> => {
    const stuck = (await workers.alive()).filter(({ ok }) => !ok)
    if (stuck.length === 0) return []
    return (await needs()).every(({ ok }) => ok) ? stuck : []
  }
  const ready = async (): Promise<HealthCheck[]> => [
    ...(await needs()),
    ...(await workers.health()),
    checkLoop('relay', relay, config.DESPATCH_RELAY_INTERVAL_MS),
    checkLoop('scheduler', scheduler, config.DESPATCH_RELAY_INTERVAL_MS),
    checkLoop('sweep', sweep, config.DESPATCH_SWEEP_INTERVAL_MS),
    checkLoop('print-runs', printRuns, printRunsEveryMs(config)),
    checkLoop('print-run-releases', releases, printRunsEveryMs(config)),
    checkLoop('documents', documents, documentsEveryMs),
    checkLoop('canaries', canaries, config.DESPATCH_CANARY_INTERVAL_MS),
    checkLoop('removal', removal, config.DESPATCH_SWEEP_INTERVAL_MS),
    checkLoop('purge', purge, config.DESPATCH_PURGE_INTERVAL_MS),
  ]
  const opened = parts.move()
  return { name, api, ready, alive, metrics, nudge, close: () => opened.disposeAsync() }
}

/** Removes objects marked for deletion, and looks for orphans, a page at a time. */
function startRemoval(
  config: PipelineConfig,
  {
    remover,
    control,
    onError,
    ...walked
  }: OrphanOptions & {
    remover: Remover
    control: Pick<WorkControl, 'whilePossible'>
    onError: (error: Error) => void
  },
): Repeated {
  const walkOn = createOrphanWalk(walked)
  return repeat({
    name: 'removal',
    passMsMax: longPassMsMax,
    everyMs: config.DESPATCH_SWEEP_INTERVAL_MS,
    onError,
    pass: control.whilePossible('removal', async () => {
      const outcome = await remover.pass()
      await walkOn()
      return outcome
    }),
  })
}

function startPrintRuns(
  config: PipelineConfig,
  { db, tracing, onError }: TracePrintRuns,
): Repeated {
  return repeat({
    name: 'print-runs',
    passMsMax: longPassMsMax,
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

function startReleases(
  config: PipelineConfig,
  { db, objects, tracing, onError }: TracePrintRuns & Pick<ReleaseOptions, 'objects'>,
): Repeated {
  return repeat({
    name: 'print-run-releases',
    passMsMax: longPassMsMax,
    everyMs: Math.min(printRunsEveryMs(config), releaseLookMsMax),
    onError,
    pass: () => releaseNextPrintRun({ db, objects, traced: { tracing, onError } }),
  })
}

/** Leaves a thread to the other letters. */
function slowAtOnce({ DESPATCH_COMPOSE_THREADS }: PipelineConfig): number {
  return Math.max(1, DESPATCH_COMPOSE_THREADS - 1)
}

/** At most a third of the age at which a run is released, so that the release is late by at most that. */
function printRunsEveryMs({ DESPATCH_PRINT_RUN_AGE_MS }: PipelineConfig): number {
  return Math.min(Math.max(DESPATCH_PRINT_RUN_AGE_MS / 3, 200), 10_000)
}

/** The check uses the time of the last good pass, because a running loop may be stuck. */
function checkLoop(name: string, loop: Repeated, everyMs: number): HealthCheck {
  const ageMs = Date.now() - loop.lastPassAt().getTime()
  if (ageMs <= Math.max(everyMs * intervalsMissedMax, passAgeMsMin)) return { name, ok: true }
  return { name, ok: false, reason: `no successful pass for ${Math.round(ageMs / 1000)} s` }
}
