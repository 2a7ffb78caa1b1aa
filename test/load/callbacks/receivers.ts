import type { Ground } from '../ground.ts'

/** How an origin treats its callers. */
export type Manner =
  /** Answers 204 at once. */
  | 'healthy'
  /** Answers 204 after ten seconds. */
  | 'slow'
  /** Takes the connection and the request, and never answers. */
  | 'dead'

export const originsMax = 17

/** What the receivers are told; each order is answered once it is carried out. */
export type Order =
  /** Gives their ports. */
  | { kind: 'open' }
  /** Forgets the calls of before, and hangs up on callers that still wait. */
  | { kind: 'begin'; manners: readonly Manner[] }
  /** Gives the arrivals as soon as there are so many at healthy origins, or when the deadline is over. */
  | { kind: 'await'; arrivals: number; deadlineMs: number }

export type Arrivals = {
  /** The first call of each callback at a healthy origin, by the monotonic clock. */
  arrivedAtMs: Record<string, number>
  /** All calls, those at other origins and those that came again too. */
  calls: number
}

/** The origins that both sides call. */
export type Receivers = {
  origins: readonly string[]
  begin(manners: readonly Manner[]): Promise<void>
  await(arrivals: number, deadlineMs: number): Promise<Arrivals>
}

export async function startReceivers({ start, signal }: Ground): Promise<Receivers> {
  const program = await start('test/load/callbacks/receivers-main.ts', {})
  const ask = <Answer>(order: Order) => program.ask<Answer>(order, signal)
  const ports = await ask<number[]>({ kind: 'open' })
  return {
    origins: ports.map((port) => `http://127.0.0.1:${port}`),
    begin: async (manners) => {
      await ask({ kind: 'begin', manners })
    },
    await: (arrivals, deadlineMs) => ask({ kind: 'await', arrivals, deadlineMs }),
  }
}
