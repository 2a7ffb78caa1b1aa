import { setTimeout as pause } from 'node:timers/promises'
import { storeDueDocuments } from '@despatch/letters/store-documents'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { isAnyDocumentDue } from '@despatch/store/print-job/unstored-documents'
import { isAnyToGather } from '@despatch/store/print-run/gather'
import { isAnyToRelease } from '@despatch/store/print-run/take-release'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import type { Tracing } from '@despatch/telemetry/tracing'
import type { PeriodicTask } from '@despatch/work/periodic-tasks'
import type { PipelineConfig } from '../config.ts'
import { createGathering } from '../print-run/gather.ts'
import { releaseNextPrintRun } from '../print-run/release.ts'
import type { WorkControl } from '../watch/work-control.ts'
import { foldCounts, isAnyToFold } from './fold-counts.ts'
import { createOrphanWalk } from './orphans.ts'
import { createPurge } from './purge.ts'
import { purgeEnquiryAudit } from './purge-enquiry-audit.ts'
import { createRemover } from './remover.ts'
import { createRetirement } from './retirement.ts'

type UpkeepOptions = {
  db: Db
  objects: ObjectStore
  control: WorkControl
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

/** The tasks that gather and release print runs. */
export function printRunTasks(
  config: PipelineConfig,
  { db, objects, tracing, onError }: UpkeepOptions,
): PeriodicTask[] {
  const traced = { tracing, onError }
  const everyMs = printRunsEveryMs(config)
  return [
    {
      name: 'print-runs',
      everyMs,
      passMsMax: longPassMsMax,
      hasWork: isAnyToGather,
      pass: createGathering({
        db,
        traced,
        runAgeMs: config.DESPATCH_PRINT_RUN_AGE_MS,
        documentsMax: config.DESPATCH_PRINT_RUN_DOCUMENTS_MAX,
      }),
    },
    {
      name: 'print-run-releases',
      everyMs: Math.min(everyMs, releaseLookMsMax),
      passMsMax: longPassMsMax,
      hasWork: isAnyToRelease,
      pass: () => releaseNextPrintRun({ db, objects, traced }),
    },
  ]
}

/**
 * The tasks that store documents, keep counts, remove objects that nobody needs, keep the partitions of letters, and
 * delete what has reached the end of its retention.
 */
export function upkeepTasks(config: PipelineConfig, options: UpkeepOptions): PeriodicTask[] {
  const { db, objects, control, log, metrics, now } = options
  const { DESPATCH_RETENTION_DAYS: retentionDays, DESPATCH_HISTORY_DAYS: historyDays } = config
  const remover = createRemover({ db, objects, registry: metrics, now })
  const examinePage = createOrphanWalk({ db, objects, registry: metrics, now })
  const counts: PeriodicTask = {
    name: 'counts',
    everyMs: countsEveryMs,
    hasWork: isAnyToFold,
    pass: () => foldCounts(db, { changesMax }),
  }
  const storing = [
    {
      name: 'documents',
      everyMs: documentsEveryMs,
      hasWork: isAnyDocumentDue,
      pass: () => storeDueDocuments({ db, objects }),
    },
    {
      name: 'removal',
      everyMs: config.DESPATCH_SWEEP_INTERVAL_MS,
      passMsMax: longPassMsMax,
      pass: remover.pass,
    },
    {
      name: 'orphans',
      everyMs: orphanLookEveryMs,
      pass: async (closing: AbortSignal) => {
        const result = await examinePage(closing)
        if (result === 'again') await pause(orphanPagePauseMs, undefined, { signal: closing })
        return result
      },
    },
    {
      name: 'purge',
      everyMs: purgeEveryMs,
      passMsMax: longPassMsMax,
      pass: createPurge({
        db,
        objects,
        remover,
        deploymentDays: retentionDays,
        registry: metrics,
        log,
        now,
      }),
    },
    {
      name: 'retirement',
      everyMs: purgeEveryMs,
      pass: createRetirement({ db, registry: metrics, now, historyDays, retentionDays }),
    },
    // the services that are audited may not delete from the audit
    { name: 'enquiry-audit-purge', everyMs: purgeEveryMs, pass: () => purgeEnquiryAudit(db) },
  ]
  return [
    counts,
    ...storing.map((task) => ({ ...task, pass: control.whilePossible(task.name, task.pass) })),
  ]
}

/** At most a third of the age at which a run is released, so that the release is late by at most that. */
function printRunsEveryMs({ DESPATCH_PRINT_RUN_AGE_MS }: PipelineConfig): number {
  return Math.min(Math.max(DESPATCH_PRINT_RUN_AGE_MS / 3, 200), 10_000)
}
