import type { Ground } from '../ground.ts'

/** How an origin answers its callers. */
export type Manner =
  /** Answers 204 immediately. */
  | 'healthy'
  /** Answers 204 after ten seconds. */
  | 'slow'
  /** Accepts the connection and the request, but never answers. */
  | 'dead'

export const originsMax = 17

/** Orders to the receivers. Each is answered after it is carried out. */
export type Order =
  /** Returns their ports. */
  | { kind: 'open' }
  /** Forgets earlier calls, and hangs up on callers that still wait. */
  | { kind: 'begin'; manners: readonly Manner[] }
  /** Returns the arrivals when there are this many at healthy origins, or when the deadline has passed. */
  | { kind: 'await'; arrivals: number; deadlineMs: number }

export type Arrivals = {
  /** When the first call of each callback arrived at a healthy origin, by the monotonic clock. */
  arrivedAtMs: Record<string, number>
  /** All calls, including those to other origins and repeated ones. */
  calls: number
}

/** The origins that both sides call. */
export type Receivers = {
  pid: number
  origins: readonly string[]
  begin(manners: readonly Manner[]): Promise<void>
  await(arrivals: number, deadlineMs: number): Promise<Arrivals>
}

export async function startReceivers({ start, signal }: Ground): Promise<Receivers> {
  const program = await start('test/load/callbacks/receivers-main.ts')
  const ask = <Answer>(order: Order) => program.ask<Answer>(order, signal)
  const ports = await ask<number[]>({ kind: 'open' })
  return {
    pid: program.pid,
    origins: ports.map((port) => `http://127.0.0.1:${port}`),
    begin: async (manners) => {
      await ask({ kind: 'begin', manners })
    },
    await: (arrivals, deadlineMs) => ask({ kind: 'await', arrivals, deadlineMs }),
  }
}
