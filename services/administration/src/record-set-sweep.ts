import type { Db } from '@despatch/store/database'
import { dropOldSets } from '@despatch/store/record-set/drop'
import type { Logger } from '@despatch/telemetry/logger'
import { beginWork } from '@despatch/telemetry/work-under-way'

const everyMs = 60_000
const graceSeconds = 300
const roundMsMax = 10 * 60_000

/** Drops sets that are no longer required, once a minute. Closing waits for the round under way. */
export function sweepRecordSets({ db, log, now }: { db: Db; log: Logger; now: () => Date }): {
  close(): Promise<void>
} {
  let round: Promise<void> | undefined
  const sweep = async () => {
    try {
      const dropped = await dropOldSets(db, { now: now(), graceSeconds })
      for (const recordSetId of dropped) log.info({ recordSetId }, 'record-set.dropped')
    } catch (err) {
      log.error({ err }, 'record-set.sweep-failed')
    }
  }
  const begin = () => {
    if (round !== undefined) return
    const work = beginWork('record-set-sweep', roundMsMax)
    round = sweep().finally(() => {
      work.end()
      round = undefined
    })
  }
  const timer = setInterval(begin, everyMs)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      await round
    },
  }
}
