/** What is known of a periodic task. Times are by the database's clock. */
export type PeriodicTaskRun = {
  everyMs: number
  /** When a process of its service last reported. */
  seenAt: Date
  /** When there was last found to be nothing to do, or when a pass last ended without an error. */
  lookedAt: Date | null
  /** When the pass under way began. */
  beganAt: Date | null
  failedAt: Date | null
}

/** `absent`: no process reports it, so its service does not run. `late`: its passes come too seldom, or not at all. */
export const periodicTaskStates = ['ok', 'failing', 'late', 'absent'] as const
export type PeriodicTaskState = (typeof periodicTaskStates)[number]

/** A process reports every 15 s. */
const reportedMsMax = 60_000
/** A loop whose last good pass is older than this many of its intervals is stuck. */
const intervalsMissedMax = 10
const passAgeMsMin = 30_000

/** Returns the age of a loop's last good pass at which it counts as stuck, in milliseconds. */
export const passAgeMsMax = (everyMs: number): number =>
  Math.max(everyMs * intervalsMissedMax, passAgeMsMin)

/** A task whose last pass failed is failing until one succeeds. A pass under way may take long. */
export function stateOfPeriodicTask(
  { everyMs, seenAt, lookedAt, beganAt, failedAt }: PeriodicTaskRun,
  now: Date,
): PeriodicTaskState {
  if (+now - +seenAt > reportedMsMax) return 'absent'
  if (failedAt && (!lookedAt || failedAt > lookedAt)) return 'failing'
  if (beganAt || !lookedAt) return 'ok'
  return +seenAt - +lookedAt > passAgeMsMax(everyMs) ? 'late' : 'ok'
}
