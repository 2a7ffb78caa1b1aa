import { reasonInTimeline } from '@despatch/domain/bulk-action/bulk-action'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import type { PeriodicTask } from '@despatch/work/periodic-tasks'
import { actAndRecord, printJobActs } from '../print-job/acts.ts'
import { type BulkActionMetrics, createBulkActionMetrics } from './bulk-action-metrics.ts'
import {
  endBulkActions,
  isAnyRunning,
  oldestRunningSince,
  postponeItem,
  settleItem,
  type TakenItem,
  takeItem,
} from './items.ts'

type BulkActionRunnerOptions = { db: Db; log: Logger; metrics: Registry; now: () => Date }

type Effects = Pick<BulkActionRunnerOptions, 'db' | 'log' | 'now'> & {
  counted: BulkActionMetrics
  /** The operator whose turn was the last. */
  turn: { planner: string | null }
}

const everyMs = 2_000
export const itemsOfPassMax = 50
// The statements for one print job run one after the other; those for two print jobs can overlap.
export const itemsAtOnce = 2
const retrySecondsMax = 300

/**
 * Carries out confirmed bulk actions, print job by print job; their planners take turns. One transaction locks the
 * print job, acts on it, and records the action and its result. Several processes may run at once, and a killed process
 * leaves nothing half done.
 */
export function bulkActionTask(options: BulkActionRunnerOptions): PeriodicTask {
  const { db, log, metrics, now } = options
  const counted = createBulkActionMetrics(metrics, now)
  const effects: Effects = { db, log, now, counted, turn: { planner: null } }

  return {
    name: 'bulk-actions',
    everyMs,
    hasWork: isAnyRunning,
    pass: async () => {
      const since = await oldestRunningSince(db)
      effects.counted.setOldest(since)
      if (since === null) return 'idle'
      const workers = Array.from({ length: itemsAtOnce }, () => doSome(effects))
      // No worker may outlive the pass.
      await Promise.allSettled(workers)
      const isMore = (await Promise.all(workers)).includes('more')
      if (!isMore) await finish(effects)
      return isMore ? 'again' : 'idle'
    },
  }
}

async function doSome(effects: Effects): Promise<'more' | 'none'> {
  for (let done = 0; done < itemsOfPassMax; done += 1) {
    if ((await doNext(effects)) === 'none') return 'none'
  }
  return 'more'
}

/**
 * Acts on the next print job. Postpones the print job after a fault of ours. Throws if no print job could be taken, for
 * example because the database is away.
 */
async function doNext({ db, log, now, counted, turn }: Effects): Promise<'some' | 'none'> {
  let taken: TakenItem | undefined
  try {
    const outcome = await transact(db, async (tx) => {
      taken = await takeItem(tx, turn.planner)
      if (taken) turn.planner = taken.plannedBy
      return taken && doItem(tx, taken, now())
    })
    if (outcome === undefined) return 'none'
    counted.items.inc({ outcome })
  } catch (err) {
    if (!taken) throw err
    const { bulkActionId, printJobKey, failures } = taken
    log.error({ bulkActionId, printJobKey, err }, 'bulk-action.item-failed')
    counted.items.inc({ outcome: 'failed' })
    const afterSeconds = Math.min(2 ** failures, retrySecondsMax)
    const failure = err instanceof Error ? err.constructor.name : 'Error'
    await postponeItem(db, taken, { failure, afterSeconds })
  }
  return 'some'
}

async function doItem(tx: Tx, taken: TakenItem, at: Date): Promise<'done' | 'refused' | 'absent'> {
  const { bulkActionId, printJobKey, action, reason, plannedBy, confirmedBy } = taken
  const outcome = await actAndRecord(tx, printJobActs[action], {
    printJobKey,
    actor: `consumer:${plannedBy}`,
    reason,
    reasonInTimeline: reasonInTimeline({ id: bulkActionId, reason, plannedBy, confirmedBy }),
    detail: { bulkActionId, confirmedBy: `consumer:${confirmedBy}` },
  })
  const { kind } = outcome
  const whyNot = kind === 'refused' ? { whyNot: outcome.whyNot } : {}
  await settleItem(tx, taken, { outcome: kind, ...whyNot, at })
  return kind
}

/** Ends the bulk actions that have no print jobs left. */
async function finish({ db, log, now, counted }: Effects): Promise<void> {
  const at = now()
  const ended = await transact(db, async (tx) => {
    const all = await endBulkActions(tx, { at })
    for (const { id: bulkActionId, done, refused, absent } of all) {
      const detail = { bulkActionId, done, refused, absent }
      await insertAuditEvent(tx, { actor: 'administration', action: 'bulk-action.ended', detail })
    }
    return all
  })
  for (const { id: bulkActionId, ...counts } of ended) {
    log.info({ bulkActionId, ...counts }, 'bulk-action.ended')
  }
  counted.setOldest(await oldestRunningSince(db))
}
