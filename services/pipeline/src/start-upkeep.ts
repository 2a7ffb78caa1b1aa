import { storeDueDocuments } from '@despatch/letters/store-documents'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { repeat } from '@despatch/queue/repeat'
import type { Db } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import type { Tracing } from '@despatch/telemetry/tracing'
import type { PipelineConfig } from './config.ts'
import type { Loops } from './loops.ts'
import { createOrphanWalk } from './orphans.ts'
import { createGathering } from './print-run.ts'
import { releaseNextPrintRun } from './print-run-release.ts'
import { createPurge } from './purge.ts'
import { createRemover, type Remover } from './remover.ts'
import type { WorkControl } from './work-control.ts'

export type UpkeepOptions = {
  db: Db
  objects: ObjectStore
  control: WorkControl
  loops: Loops
  log: Logger
  tracing: Tracing
  metrics: Registry
  now: () => Date
  onError: (error: Error) => void
}

/** Long, for passes over many letters or objects. Each call in such a pass has a deadline of its own. */
const longPassMsMax = 30 * 60_000
/**
 * The longest pause between two passes. An idle pass costs little: it reads an index that is empty most of the time.
 */
const releaseLookMsMax = 1_000
/** Nothing waits for the documents but the release of their run, which stores them itself. */
const documentsEveryMs = 1_000

/** Starts the loops that gather and release print runs. */
export function startPrintRuns(
  config: PipelineConfig,
  { db, objects, loops, tracing, onError }: UpkeepOptions,
): void {
  const traced = { tracing, onError }
  const everyMs = printRunsEveryMs(config)
  const gather = createGathering({
    ...{ db, traced },
    runAgeMs: config.DESPATCH_PRINT_RUN_AGE_MS,
    documentsMax: config.DESPATCH_PRINT_RUN_DOCUMENTS_MAX,
  })
  const long = { passMsMax: longPassMsMax, onError }
  const gathering = repeat({ name: 'print-runs', everyMs, ...long, pass: gather })
  loops.watch('print-runs', everyMs, gathering)
  const releases = repeat({
    name: 'print-run-releases',
    everyMs: Math.min(everyMs, releaseLookMsMax),
    ...long,
    pass: () => releaseNextPrintRun({ db, objects, traced }),
  })
  loops.watch('print-run-releases', everyMs, releases)
}

/** Starts the loops that store documents, remove objects that nobody needs, and purge personal data. */
export function startUpkeep(config: PipelineConfig, options: UpkeepOptions): void {
  const { db, objects, control, loops, log, metrics, now, onError } = options
  const documents = repeat({
    name: 'documents',
    everyMs: documentsEveryMs,
    onError,
    pass: control.whilePossible('documents', () => storeDueDocuments({ db, objects })),
  })
  loops.watch('documents', documentsEveryMs, documents)
  const remover = createRemover({ db, objects, registry: metrics, now })
  startRemoval(config, options, remover)
  const everyMs = config.DESPATCH_PURGE_INTERVAL_MS
  const deploymentDays = config.DESPATCH_RETENTION_DAYS
  const purge = repeat({
    name: 'purge',
    passMsMax: longPassMsMax,
    everyMs,
    onError,
    pass: control.whilePossible(
      'purge',
      createPurge({ db, objects, remover, deploymentDays, registry: metrics, log, now }),
    ),
  })
  loops.watch('purge', everyMs, purge, { isRare: true })
}

/** Removes objects marked for deletion, and looks for orphans, a page at a time. */
function startRemoval(
  config: PipelineConfig,
  { db, objects, control, loops, now, onError }: UpkeepOptions,
  remover: Remover,
): void {
  const everyMs = config.DESPATCH_SWEEP_INTERVAL_MS
  const walkOn = createOrphanWalk({ db, objects, now })
  const removal = repeat({
    name: 'removal',
    passMsMax: longPassMsMax,
    everyMs,
    onError,
    pass: control.whilePossible('removal', async () => {
      const outcome = await remover.pass()
      await walkOn()
      return outcome
    }),
  })
  loops.watch('removal', everyMs, removal)
}

/** At most a third of the age at which a run is released, so that the release is late by at most that. */
function printRunsEveryMs({ DESPATCH_PRINT_RUN_AGE_MS }: PipelineConfig): number {
  return Math.min(Math.max(DESPATCH_PRINT_RUN_AGE_MS / 3, 200), 10_000)
}
