import { usageKey, windowNumber } from '@despatch/access/usage-count'
import { openUsageStore } from '@despatch/access/usage-store'
import type { Database } from '@despatch/store/database'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'

const hour = { name: 'hour', seconds: 3_600 }

/** Counts seconds of checks for a consumer in this hour and the next, as if other processes had reported them. */
export async function useUpChecks(
  { pool, queueUrl }: { pool: Database['pool']; queueUrl?: string | undefined },
  consumerId: string,
  seconds: number,
): Promise<void> {
  const log = createLogger({ service: 'test', level: 'silent' })
  const store = openUsageStore({ queueUrl, pool, log, metrics: createMetrics('test') })
  const now = windowNumber(hour, Date.now())
  for (const number of [now, now + 1]) {
    await store.add(usageKey(`checks ${consumerId}`, hour, number), seconds, 2 * hour.seconds)
  }
  store.close()
}
