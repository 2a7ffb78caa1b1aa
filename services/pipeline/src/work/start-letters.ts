import type { CheckBudget } from '@despatch/access/check-budget'
import type { Composers } from '@despatch/composer/composers'
import { type WorkQueue, workQueues } from '@despatch/domain/work/lane'
import type { HealthCheck } from '@despatch/http/health'
import type { LetterTemplates } from '@despatch/letters/letter-templates'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Queues } from '@despatch/queue/queues'
import type { Database } from '@despatch/store/database'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import type { Tracing } from '@despatch/telemetry/tracing'
import { openVirusScanner } from '@despatch/virus-scanner/virus-scanner'
import { canaryTask } from '@despatch/work/canaries'
import { giveUpTask } from '@despatch/work/give-up'
import type { PeriodicTask } from '@despatch/work/periodic-tasks'
import { startScheduler } from '@despatch/work/scheduler'
import { createTimeShare } from '@despatch/work/time-share'
import type { PipelineConfig } from '../config.ts'
import { nothingPredefined, predefinedByRecipient } from '../print-job/predefined-outcome.ts'
import { createStepCommits } from '../print-job/step-commits.ts'
import { quarantine } from '../stages/quarantine.ts'
import { validate } from '../stages/validate.ts'
import { countSweepFindings } from '../watch/loop-metrics.ts'
import type { Loops } from '../watch/loops.ts'
import { watchQueues } from '../watch/queue-watch.ts'
import { type WatchedScanner, watchScanner } from '../watch/scanner-watch.ts'
import type { WorkControl } from '../watch/work-control.ts'
import { type WorkerWatch, watchWorkers } from '../watch/worker-watch.ts'
import type { HandBack } from './hand-back.ts'
import { type RunLettersContext, runLetters } from './run-letters.ts'
import { createSweep } from './sweep.ts'

type LettersOptions = {
  database: Database
  objects: ObjectStore
  queues: Queues
  composers: Composers
  templates: LetterTemplates
  checkBudget: CheckBudget
  control: WorkControl
  handBack: HandBack
  loops: Loops
  log: Logger
  tracing: Tracing
  metrics: Registry
  /** The longest pause between two searches for letters, and after one that found none. */
  everyMs: number
  restMs: () => number
  /** Called when a dependency goes away or comes back. */
  onSteered: () => void
  now: () => Date
  onError: (error: Error) => void
}

type Letters = {
  /** Makes the scheduler look for letters now. */
  nudge(): void
  /** The tasks that letters require, to be started. */
  tasks: readonly PeriodicTask[]
  workers: WorkerWatch
  /** Returns a check of the virus scanner, if there is one. */
  checkScanner(): Promise<HealthCheck[]>
}

/** The stage of each status in which a print job waits for the pipeline. */
const stages = { QUARANTINE: quarantine, VALIDATING: validate }
/** More batches of one queue at once share the event loop and gain little. */
const lettersBatchesMax = 4

/** Starts what takes letters from their submission to PENDING: the scheduler and the workers. */
export function startLetters(config: PipelineConfig, options: LettersOptions): Letters {
  const { database, objects, queues, control, loops, metrics, everyMs, restMs, now, onError } =
    options
  const { db } = database
  const readQueues = watchQueues({ counts: () => queues.counts(), registry: metrics })
  const queueStates = async () =>
    (await readQueues()).map((state) => ({
      ...state,
      isPaused: state.isPaused || control.isPaused(state.name),
    }))
  const scheduler = loops.add(
    startScheduler({
      db,
      kind: letterKind,
      queues,
      everyMs,
      restMs,
      onError,
      // while its state is unknown, a queue counts as paused
      pausedQueues: async () => {
        const states = await queueStates().catch(() => [])
        return workQueues.filter(
          (queue) => states.find(({ name }) => name === queue)?.isPaused ?? true,
        )
      },
    }),
  )
  loops.watch({ name: 'scheduler', everyMs, ...scheduler })
  const nudge = () => scheduler.nudge()
  const workers = watchWorkers({ names: workQueues, registry: metrics, queues: queueStates, now })
  const scanner = openScanner(config, options)
  const onFound = countSweepFindings(metrics)
  startWorkers(config, { ...options, workers, scanner, nudge })
  const shared = { db, kind: letterKind, nudgeScheduler: nudge }
  return {
    nudge,
    workers,
    checkScanner: async () => (scanner ? [await scanner.health()] : []),
    tasks: [
      {
        name: 'sweep',
        everyMs: config.DESPATCH_SWEEP_INTERVAL_MS,
        pass: createSweep({
          ...shared,
          objects,
          uploadBytesMax: config.DESPATCH_UPLOAD_BYTES_MAX,
          outages: control.outages,
          onFound,
        }),
      },
      giveUpTask({
        ...shared,
        leaseSeconds: config.DESPATCH_STEP_LEASE_SECONDS,
        onInterrupted: (letters) => {
          onFound('step', letters)
          nudge()
        },
      }),
      canaryTask({ ...shared, everyMs: config.DESPATCH_CANARY_INTERVAL_MS }),
    ],
  }
}

type WorkersOptions = LettersOptions & {
  workers: WorkerWatch
  scanner: WatchedScanner | undefined
  nudge: () => void
}

/** Starts the workers of each queue, which stop and continue as the dependencies go and come back. */
function startWorkers(config: PipelineConfig, options: WorkersOptions): void {
  const { queues, control, loops, workers, onSteered, onError } = options
  const concurrency = config.DESPATCH_PIPELINE_CONCURRENCY
  const batchesAtOnce: Readonly<Record<WorkQueue, number>> = {
    letters: Math.min(lettersBatchesMax, concurrency),
    slow: slowAtOnce(config),
  }
  const context = workerContext(config, options, Math.ceil(concurrency / batchesAtOnce.letters))
  const queueWorkers = workQueues.map((queue) => ({
    queue,
    concurrency: batchesAtOnce[queue],
    // letters without files need nothing else
    needs: ['database'] as const,
    consumer: loops.add(
      queues.consume(
        queue,
        (task, signal, progress) =>
          workers.run(queue, () => runLetters(context, task, signal, progress)),
        { concurrency: batchesAtOnce[queue], onError },
      ),
    ),
  }))
  loops.add(control.steer(queueWorkers, onSteered))
}

function workerContext(
  config: PipelineConfig,
  {
    database,
    objects,
    composers,
    templates,
    checkBudget,
    control,
    scanner,
    workers,
    nudge,
    now,
    ...rest
  }: WorkersOptions,
  lettersAtOnce: number,
): RunLettersContext {
  const { handBack, log, tracing, onError } = rest
  const uploadBytesMax = config.DESPATCH_UPLOAD_BYTES_MAX
  return {
    db: database.db,
    stages,
    effects: {
      objects,
      makeDocument: composers.makeDocument,
      templates,
      checkBudget,
      ...(scanner && { scanner }),
      scanPauseSeconds: config.DESPATCH_SCAN_PAUSE_SECONDS,
      uploadBytesMax,
      now,
    },
    predefinedOutcome:
      config.DESPATCH_ENVIRONMENT === 'uat'
        ? predefinedByRecipient({ uploadBytesMax, now })
        : nothingPredefined,
    commits: createStepCommits(database.db),
    leaseSeconds: config.DESPATCH_STEP_LEASE_SECONDS,
    lettersAtOnce,
    timeShare: createTimeShare(),
    outages: control.outages,
    onStageEnd: workers.noteStage,
    onTaken: (wait) => {
      workers.noteWait(wait)
      nudge()
    },
    handBack,
    log,
    tracing,
    onError,
  }
}

function openScanner(
  config: PipelineConfig,
  { log, metrics, now }: LettersOptions,
): WatchedScanner | undefined {
  if (config.CLAMAV_URL === undefined) {
    log.info('virus-scanner.absent')
    return undefined
  }
  const scanner = openVirusScanner(config.CLAMAV_URL)
  return watchScanner({ scanner, log, registry: metrics, now })
}

/** Leaves a thread to the other letters. */
function slowAtOnce({ DESPATCH_COMPOSE_THREADS }: PipelineConfig): number {
  return Math.max(1, DESPATCH_COMPOSE_THREADS - 1)
}
