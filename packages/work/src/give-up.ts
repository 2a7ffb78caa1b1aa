import { findExpired, giveUpBatches } from './batch-lease.ts'
import type { Db, Kind } from './kind.ts'
import type { PeriodicTask } from './periodic-tasks.ts'

type GiveUpOptions = {
  db: Db
  kind: Kind
  leaseSeconds: number
  /** Called with how many subjects wait again, if there are any. */
  onInterrupted: (subjects: number) => void
}

const everyMsMax = 10_000

/** Returns the pause between two passes: four times in each lease, and at least each ten seconds. */
export const giveUpEveryMs = (leaseSeconds: number): number =>
  Math.min(leaseSeconds * 250, everyMsMax)

/** Gives up the batches of dead workers. */
export function giveUpTask({ db, kind, leaseSeconds, onInterrupted }: GiveUpOptions): PeriodicTask {
  const mayGiveUp = createGapWatch(leaseSeconds)
  return {
    name: 'give-up',
    everyMs: giveUpEveryMs(leaseSeconds),
    pass: async () => {
      const { nowMs, isExpired } = await findExpired(db, kind)
      if (!mayGiveUp(nowMs) || !isExpired) return 'idle'
      const interrupted = await giveUpBatches(db, kind)
      if (interrupted > 0) onInterrupted(interrupted)
      return 'idle'
    },
  }
}

/**
 * Returns a function that each pass asks whether it may give up batches; `nowMs` is the database's time. While the
 * database is away, or the machine stands still, no worker can renew its lease, and that is the death of none. Either
 * makes a gap between two passes. After a gap nothing is given up for half a lease, in which each living worker renews
 * its lease. A process that starts knows of no gap, so it waits too.
 */
export function createGapWatch(leaseSeconds: number): (nowMs: number) => boolean {
  // a worker renews its lease at each third of it, so a shorter gap has let no lease expire
  const gapMs = leaseSeconds * 400
  const waitMs = leaseSeconds * 500
  let passedAtMs = Number.NEGATIVE_INFINITY
  let waitsSinceMs: number | undefined
  return (nowMs) => {
    // a wait that has begun ends, so that dead workers are found even if each pass comes late
    if (nowMs - passedAtMs > gapMs) waitsSinceMs ??= nowMs
    passedAtMs = nowMs
    if (waitsSinceMs !== undefined && nowMs - waitsSinceMs < waitMs) return false
    waitsSinceMs = undefined
    return true
  }
}
