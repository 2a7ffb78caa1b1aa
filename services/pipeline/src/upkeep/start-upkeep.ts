import { setTimeout as pause } from 'node:timers/promises'
import { storeDueDocuments } from '@despatch/letters/store-documents'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { repeat } from '@despatch/queue/repeat'
import type { Db } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import type { Tracing } from '@despatch/telemetry/tracing'
import type { PipelineConfig } from '../config.ts'
import { createGathering } from '../print-run/gather.ts'
import { releaseNextPrintRun } from '../print-run/release.ts'
import type { Loops } from '../watch/loops.ts'
import type { WorkControl } from '../watch/work-control.ts'
import { foldCounts } from './fold-counts.ts'
import { createOrphanWalk } from './orphans.ts'
import { createPurge } from './purge.ts'
import { purgeEnquiryAudit } from './purge-enquiry-audit.ts'
import { createRemover, type Remover } from './remover.ts'
import { createRetirement } from './retirement.ts'

type UpkeepOptions = {
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
/** Retention ends by the day, so an hour is soon. */
const purgeEveryMs = 60 * 60_000
/** A part of the bucket is walked once a day, so a minute is soon. */
const orphanLookEveryMs = 60_000
/** The pause between two pages of 1,000 keys limits the load on the object store: 86 million keys a day at most. */
const orphanPagePauseMs = 1_000
/** Reading a count includes the changes that are not in its total yet, so they must be few. */
const countsEveryMs = 1_000
const changesMax = 5_000

/** Starts the loops that gather and release print runs. */
export function startPrintRuns(
  config: PipelineConfig,
  { db, objects, loops, tracing, onError }: UpkeepOptions,
): void {
  const traced = { tracing, onError }
  const everyMs = printRunsEveryMs(config)
  const gather = createGathering({
    db,
    traced,
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

/** Starts the loops that store documents, keep counts, remove objects that nobody needs, and purge personal data. */
export function startUpkeep(config: PipelineConfig, options: UpkeepOptions): void {
  const { db, objects, control, loops, log, metrics, now, onError } = options
  const documents = repeat({
    name: 'documents',
    everyMs: documentsEveryMs,
    onError,
    pass: control.whilePossible('documents', () => storeDueDocuments({ db, objects })),
  })
  loops.watch('documents', documentsEveryMs, documents)
  const counts = repeat({
    name: 'counts',
    everyMs: countsEveryMs,
    onError,
    pass: () => foldCounts(db, { changesMax }),
  })
  loops.watch('counts', countsEveryMs, counts)
  const remover = createRemover({ db, objects, registry: metrics, now })
  startRemoval(config, options, remover)
  startOrphanWalk(options)
  const deploymentDays = config.DESPATCH_RETENTION_DAYS
  const purge = repeat({
    name: 'purge',
    passMsMax: longPassMsMax,
    everyMs: purgeEveryMs,
    onError,
    pass: control.whilePossible(
      'purge',
      createPurge({ db, objects, remover, deploymentDays, registry: metrics, log, now }),
    ),
  })
  loops.watch('purge', purgeEveryMs, purge, { isRare: true })
  startRetirement(config, options)
  startEnquiryAuditPurge(options)
}

/** Deletes enquiries from the audit when their retention ends. The services that are audited may not. */
function startEnquiryAuditPurge({ db, control, loops, onError }: UpkeepOptions): void {
  const pass = control.whilePossible('enquiry-audit-purge', () => purgeEnquiryAudit(db))
  const purge = repeat({ name: 'enquiry-audit-purge', everyMs: purgeEveryMs, onError, pass })
  loops.watch('enquiry-audit-purge', purgeEveryMs, purge, { isRare: true })
}

/** Deletes print jobs some time after their purge, and keeps the partitions of their rows. */
function startRetirement(
  config: PipelineConfig,
  { db, control, loops, metrics, now, onError }: UpkeepOptions,
): void {
  const retire = createRetirement({
    db,
    registry: metrics,
    now,
    historyDays: config.DESPATCH_HISTORY_DAYS,
    retentionDays: config.DESPATCH_RETENTION_DAYS,
  })
  const pass = control.whilePossible('retirement', retire)
  const retirement = repeat({ name: 'retirement', everyMs: purgeEveryMs, onError, pass })
  loops.watch('retirement', purgeEveryMs, retirement, { isRare: true })
}

/** Removes objects that are marked for deletion. */
function startRemoval(
  config: PipelineConfig,
  { control, loops, onError }: UpkeepOptions,
  remover: Remover,
): void {
  const everyMs = config.DESPATCH_SWEEP_INTERVAL_MS
  const pass = control.whilePossible('removal', remover.pass)
  const removal = repeat({ name: 'removal', passMsMax: longPassMsMax, everyMs, onError, pass })
  loops.watch('removal', everyMs, removal)
}

/** Looks for orphans, a page at a time. */
function startOrphanWalk({
  db,
  objects,
  control,
  loops,
  metrics,
  now,
  onError,
}: UpkeepOptions): void {
  const examinePage = createOrphanWalk({ db, objects, registry: metrics, now })
  const pass = control.whilePossible('orphans', async (closing) => {
    const result = await examinePage(closing)
    if (result === 'again') await pause(orphanPagePauseMs, undefined, { signal: closing })
    return result
  })
  const walk = repeat({ name: 'orphans', everyMs: orphanLookEveryMs, onError, pass })
  loops.watch('orphans', orphanLookEveryMs, walk, { isRare: true })
}

/** At most a third of the age at which a run is released, so that the release is late by at most that. */
function printRunsEveryMs({ DESPATCH_PRINT_RUN_AGE_MS }: PipelineConfig): number {
  return Math.min(Math.max(DESPATCH_PRINT_RUN_AGE_MS / 3, 200), 10_000)
}
