import type { Caller } from '@despatch/domain/access/caller'
import { sourceOf } from '@despatch/domain/access/source-address'
import type { UsageDecision, UsageWindow } from '@despatch/domain/access/usage'
import { addUsageOfDay } from '@despatch/store/access/usage-of-day'
import { listUsagePlansOf } from '@despatch/store/access/usage-plans'
import type { Database } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { Counter, type Registry } from '@despatch/telemetry/metrics'
import pTimeout from 'p-timeout'
import { keyedHash } from './keyed-hash.ts'
import { andThen, createUsageDecider, refuse } from './usage-decision.ts'
import { createUsagePlanCache, windowsOf } from './usage-plan-cache.ts'
import { answerDeadlineMs, openUsageStore, type UsageStore } from './usage-store.ts'
import { startUsageTally } from './usage-tally.ts'

export type UsageSettings = {
  QUEUE_URL?: string | undefined
  DESPATCH_LIMITS_WHEN_STORE_DOWN: 'pass' | 'refuse'
  DESPATCH_OVERALL_REQUESTS_PER_SECOND?: number | undefined
}

export type UsageLimitsOptions = {
  /** The name of the service's path prefix, as plans name it. */
  service: string
  database: Pick<Database, 'db' | 'pool'>
  settings: UsageSettings
  /** Limits each source address on routes that have no caller. Without it those routes are not limited. */
  sources?: { requestsPerSecond: number; burst: number; secretKeyHex: string }
  /** Whether to count the requests of consumers in the day, also those that no plan limits. */
  countsDays?: boolean
  log: Logger
  metrics: Registry
  now?: () => Date
  monotonicMs?: () => number
}

/** Returns the limit of source addresses for operations that take passwords. */
export function sourcesOf(settings: {
  DESPATCH_SOURCE_REQUESTS_PER_SECOND: number
  DESPATCH_KEY_SIGN_IN: string
}): NonNullable<UsageLimitsOptions['sources']> {
  const requestsPerSecond = settings.DESPATCH_SOURCE_REQUESTS_PER_SECOND
  return {
    requestsPerSecond,
    burst: 2 * requestsPerSecond,
    secretKeyHex: settings.DESPATCH_KEY_SIGN_IN,
  }
}

type Limited = UsageDecision | undefined

type UsageLimits = {
  /** Decides on one request. Returns undefined if nothing limits it. Seldom returns a promise. */
  limit(request: { caller?: Caller; ip: string; bodyBytes?: number }): Limited | Promise<Limited>
  /** The counts that all processes share, for as long as these limits are open. */
  store: UsageStore
  /** Reports the counts of the day to the store, and saves those of consumers, within about a second. */
  close(): Promise<void>
}

/**
 * Applies usage plans to consumers, a rate to source addresses and an overall limit to the service, across all
 * processes.
 *
 * A process decides by itself and reports to the store in blocks of 5 % of a limit, at least one request (see
 * `takeOne`). A request waits for the store only if a whole block arrives faster than a report takes. One process holds
 * every limit exactly. Each of several processes may exceed it by one block: four processes by 20 % at most, and only
 * while all of them work at the limit. If a process dies, its unreported requests are lost, at most one block. Windows
 * follow the clock of each process, so clocks that differ shift the windows by the same amount.
 *
 * While the store is unavailable, `pass` lets each process hold the limits on its own, and `refuse` answers 503, no
 * later than two seconds after the store's last answer.
 */
export function openUsageLimits({
  service,
  database: { db, pool },
  settings,
  sources,
  countsDays = false,
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
  const tally = countsDays
    ? startUsageTally({
        save: (usages) => addUsageOfDay(db, service, usages),
        nowMs: () => now().getTime(),
        onError: (err) => log.warn({ err }, 'usage-tally.unsaved'),
      })
    : undefined
  const findWindows = createUsagePlanCache(() => listUsagePlansOf(db, service), monotonicMs)
  const limitSource = sources && sourceLimit(sources)
  const mustCount = settings.DESPATCH_LIMITS_WHEN_STORE_DOWN === 'refuse'
  const refusals = new Counter({
    name: 'usage_refused_requests_total',
    help: 'Requests refused by the usage limits, by the limit that they exceeded',
    labelNames: ['reason'],
    registers: [metrics],
  })

  function limitSubject(subject: string, windows: readonly UsageWindow[], bodyBytes = 0) {
    if (windows.length === 0 && !overall) return undefined
    const decision = mustCount
      ? andThen(store.answers(), (answers) =>
          answers ? decide(subject, windows, bodyBytes) : refuse('store', { windows, left: [] }),
        )
      : decide(subject, windows, bodyBytes)
    return andThen(decision, (made) => {
      if (made.refusal) refusals.inc({ reason: made.refusal.reason })
      return made
    })
  }

  return {
    store,

    limit({ caller, ip, bodyBytes }) {
      if (caller) {
        const { consumerId, usagePlan } = caller
        const windows = usagePlan === undefined ? undefined : findWindows(usagePlan)
        return andThen(windows, (found = unlimited) =>
          andThen(limitSubject(consumerId, found, bodyBytes), (limited) => {
            tally?.count(consumerId, limited?.refusal !== undefined)
            return limited
          }),
        )
      }
      return limitSource && limitSubject(limitSource.subjectOf(ip), limitSource.windows)
    },

    async close() {
      const saved =
        tally && pTimeout(tally.close(), { milliseconds: answerDeadlineMs }).catch(() => {})
      await Promise.all([report('day'), report('bytes'), saved])
      store.close()
    },
  }
}

const unlimited: readonly UsageWindow[] = []

function overallWindow({ DESPATCH_OVERALL_REQUESTS_PER_SECOND: requests }: UsageSettings) {
  return requests === undefined ? undefined : { name: 'second', requests, seconds: 1 }
}

/** Addresses are counted under keyed hashes. No address is stored. */
function sourceLimit({ secretKeyHex, ...rate }: NonNullable<UsageLimitsOptions['sources']>) {
  const hash = keyedHash(secretKeyHex, 'usage by source address')
  return {
    windows: windowsOf({ ...rate, requestsPerDay: null, bytesPerDay: null }),
    subjectOf: (ip: string) => `source ${hash(sourceOf(ip)).toString('base64url')}`,
  }
}
