const pausesMs = [0, 1_000, 3_000, 10_000, 30_000]
const pauseForRoomMs = 2_000
/** After this time the server counts as healthy, and its earlier failures are forgotten. */
const healthyMs = 60_000

export type Failure = { ranMs: number; shortOfRoom: boolean }
export type Restart =
  | { kind: 'restart'; afterMs: number; failures: number }
  | { kind: 'give-up'; failures: number }

/**
 * Decides what happens after a server ends or does not start. It is restarted after a growing pause, and given up after
 * more failures than there are pauses. A full disk is waited for without limit, because only an operator can free
 * space.
 */
export function decideRestart(failuresBefore: number, { ranMs, shortOfRoom }: Failure): Restart {
  const failures = ranMs >= healthyMs ? 0 : failuresBefore
  if (shortOfRoom) return { kind: 'restart', afterMs: pauseForRoomMs, failures }
  const afterMs = pausesMs[failures]
  if (afterMs === undefined) return { kind: 'give-up', failures }
  return { kind: 'restart', afterMs, failures: failures + 1 }
}
