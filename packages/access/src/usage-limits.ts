import type { Caller } from '@despatch/domain/access/caller'
import { sourceOf } from '@despatch/domain/access/source-address'
import type { UsageDecision, UsageWindow } from '@despatch/domain/access/usage'
import { listUsagePlansOf } from '@despatch/store/access/usage-plans'
import type { Database } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { Counter, type Registry } from '@despatch/telemetry/metrics'
import { keyedHash } from './keyed-hash.ts'
import { andThen, createUsageDecider, refuse } from './usage-decision.ts'
import { createUsagePlanCache, windowsOf } from './usage-plan-cache.ts'
import { openUsageStore } from './usage-store.ts'

export type UsageSettings = {
  QUEUE_URL?: string | undefined
  DESPATCH_LIMITS_WHEN_STORE_DOWN: 'pass' | 'refuse'
  DESPATCH_OVERALL_REQUESTS_PER_SECOND?: number | undefined
}

export type UsageLimitsOptions = {
  /** The name of its path prefix, as plans name it. */
  service: string
  database: Pick<Database, 'db' | 'pool'>
  settings: UsageSettings
  /** Limits each source address on routes that have no caller; without it those are not limited. */
  sources?: { requestsPerSecond: number; burst: number; secretKeyHex: string }
  log: Logger
  metrics: Registry
  now?: () => Date
  monotonicMs?: () => number
}

type Limited = UsageDecision | undefined

export type UsageLimits = {
  /** Decides on one request; undefined when nothing limits it. It seldom takes a promise. */
  limit(request: { caller?: Caller; ip: string }): Limited | Promise<Limited>
  /** Tells the store what it does not know yet of the day. */
  close(): Promise<void>
}

/**
 * Holds consumers to their usage plans, source addresses to a rate and the service to an overall one, in all processes
 * together.
 *
 * A process decides by itself and reports to the store in blocks of 5 % of a limit, at least one request (see `takeOne`): a
 * request waits for the store only when a whole block arrives faster than a report travels. One process holds every limit
 * exactly. Of several, each may let through one block beyond it: four processes 20 % at most, and only while all of them
 * work at the limit. What a process that dies had not reported is forgotten: at most a block too. Windows follow the clock
 * of each process, so clocks that differ shift them by as much.
 *
 * While the store is away, `pass` leaves each process to hold the limits on its own, and `refuse` answers 503, at the latest
 * two seconds after the store's last answer.
 */
export function openUsageLimits({
  service,
  database: { db, pool },
  settings,
  sources,
  log,
  metrics,
  now = () => new Date(),
  monotonicMs = () => performance.now(),
}: UsageLimitsOptions): UsageLimits {
  const store = openUsageStore({ queueUrl: settings.QUEUE_URL, pool, log, metrics, monotonicMs })
  const overall = overallWindow(settings)
  const { decide, report } = createUsageDecider({
    service,
    add: store.add,
    overall,
    nowMs: () => now().getTime(),
  })
  const findWindows = createUsagePlanCache(() => listUsagePlansOf(db, service), monotonicMs)
  const limitSource = sources && sourceLimit(sources)
  const mustCount = settings.DESPATCH_LIMITS_WHEN_STORE_DOWN === 'refuse'
  const refusals = new Counter({
    name: 'usage_refused_requests_total',
    help: 'Requests that the usage limits refused, by what they exceeded',
    labelNames: ['reason'],
    registers: [metrics],
  })

  function limitSubject(subject: string, windows: readonly UsageWindow[]) {
    if (windows.length === 0 && !overall) return undefined
    const decision = mustCount
      ? andThen(store.answers(), (answers) =>
          answers ? decide(subject, windows) : refuse('store', { windows, left: [] }),
        )
      : decide(subject, windows)
    return andThen(decision, (made) => {
      if (made.refusal) refusals.inc({ reason: made.refusal.reason })
      return made
    })
  }

  return {
    limit({ caller, ip }) {
      if (caller) {
        const { consumerId, usagePlan } = caller
        const windows = usagePlan === undefined ? undefined : findWindows(usagePlan)
        return andThen(windows, (found = unlimited) => limitSubject(consumerId, found))
      }
      return limitSource && limitSubject(limitSource.subjectOf(ip), limitSource.windows)
    },

    async close() {
      await report('day')
      store.close()
    },
  }
}

const unlimited: readonly UsageWindow[] = []

function overallWindow({ DESPATCH_OVERALL_REQUESTS_PER_SECOND: requests }: UsageSettings) {
  return requests === undefined ? undefined : { name: 'second', requests, seconds: 1 }
}

/** Addresses are counted under keyed hashes: none is kept. */
function sourceLimit({ secretKeyHex, ...rate }: NonNullable<UsageLimitsOptions['sources']>) {
  const hash = keyedHash(secretKeyHex, 'usage by source address')
  return {
    windows: windowsOf({ ...rate, requestsPerDay: null }),
    subjectOf: (ip: string) => `source ${hash(sourceOf(ip)).toString('base64url')}`,
  }
}
