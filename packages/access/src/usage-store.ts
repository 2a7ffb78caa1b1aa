import { openRedis } from '@despatch/redis/open-redis'
import type { Database } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { Counter, type Registry } from '@despatch/telemetry/metrics'
import pTimeout from 'p-timeout'
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible'
import type { AddToStore } from './usage-count.ts'

/** The counts that all processes share. */
export type UsageStore = {
  /** Returns undefined if the store does not answer. For one second after a failure it returns undefined at once. */
  add: AddToStore
  /** Returns the count under a key, 0 if there is none, or undefined as `add` does. */
  read(key: string): Promise<number | undefined>
  /** Returns whether the store answered within the last two seconds. Queries it if nobody did. */
  answers(): boolean | Promise<boolean>
  close(): void
}

type UsageStoreOptions = {
  /** Address of Redis. With a PostgreSQL address or none, the counts are in the database. */
  queueUrl: string | undefined
  pool: Database['pool']
  log: Logger
  metrics: Registry
  /** Milliseconds of a monotonic clock. */
  monotonicMs?: () => number
}

const keyPrefix = 'despatch-usage'
/** Seconds that a count outlives its window, for processes whose clocks are behind. */
const keptAfterSeconds = 10
/** Milliseconds for which an answer of the store is waited for. */
export const answerDeadlineMs = 1_000
const retryAfterMs = 1_000
const confirmedForMs = 2_000
const logIntervalMs = 60_000

/** Opens the shared counts on Redis or in the table usage_count. It connects with the first call. */
export function openUsageStore({
  queueUrl,
  pool,
  log,
  metrics,
  monotonicMs = () => performance.now(),
}: UsageStoreOptions): UsageStore {
  const { limiter, close } = openLimiter(queueUrl, pool)
  const unshared = new Counter({
    name: 'usage_unshared_requests_total',
    help: 'Requests, and seconds of file checks, counted in this process alone because the store of the usage limits did not respond',
    registers: [metrics],
  })
  let isDown = false
  let checkedAtMs = Number.NEGATIVE_INFINITY
  let loggedAtMs = Number.NEGATIVE_INFINITY
  let asking: Promise<boolean> | undefined

  const sinceCheckedMs = () => monotonicMs() - checkedAtMs

  async function ask(question: () => Promise<number>): Promise<number | undefined> {
    if (isDown && sinceCheckedMs() < retryAfterMs) return undefined
    // Set before the answer, so that only one report at a time tests whether the store is back.
    checkedAtMs = monotonicMs()
    try {
      const answer = await pTimeout(question(), { milliseconds: answerDeadlineMs })
      isDown = false
      return answer
    } catch (error) {
      isDown = true
      logFailure(error)
      return undefined
    } finally {
      checkedAtMs = monotonicMs()
    }
  }

  async function add(key: string, requests: number, seconds: number): Promise<number | undefined> {
    const customDuration = seconds + keptAfterSeconds
    const total = await ask(async () => {
      const { consumedPoints } = await limiter.penalty(key, requests, { customDuration })
      return consumedPoints
    })
    if (total === undefined) unshared.inc(requests)
    return total
  }

  function logFailure(err: unknown): void {
    if (monotonicMs() - loggedAtMs < logIntervalMs) return
    loggedAtMs = monotonicMs()
    log.warn({ err }, 'usage-store.silent')
  }

  return {
    add,
    read: (key) => ask(async () => (await limiter.get(key))?.consumedPoints ?? 0),
    answers: () => {
      if (sinceCheckedMs() < (isDown ? retryAfterMs : confirmedForMs)) return !isDown
      asking ??= add('probe', 0, 1)
        .then((total) => total !== undefined)
        .finally(() => {
          asking = undefined
        })
      return asking
    },
    close,
  }
}

function openLimiter(queueUrl: string | undefined, pool: Database['pool']) {
  // The limiter only counts; `takeOne` decides who may pass.
  const options = { keyPrefix, points: 0, duration: 1 }
  if (!queueUrl?.startsWith('redis')) {
    const table = { tableName: 'usage_count', tableCreated: true }
    const limiter = new RateLimiterPostgres({ ...options, ...table, storeClient: pool })
    return { limiter, close: () => {} }
  }
  const redis = openRedis(queueUrl, {
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    connectTimeout: answerDeadlineMs,
    commandTimeout: answerDeadlineMs,
    // Also drops a connection whose peer sends nothing any more.
    socketTimeout: answerDeadlineMs,
  })
  // A failed command reports its own error.
  redis.on('error', () => {})
  const limiter = new RateLimiterRedis({ ...options, storeClient: redis })
  return { limiter, close: () => redis.disconnect() }
}
