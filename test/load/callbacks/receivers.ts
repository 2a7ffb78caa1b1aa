import type { Ground } from '../ground.ts'

/** How an origin answers its callers. */
export type Manner =
  /** Answers 204 immediately. */
  | 'healthy'
  /** Answers 204 after ten seconds. */
  | 'slow'
  /** Accepts the connection and the request, but never answers. */
  | 'dead'

export const originsMax = 1_000

/** Orders to the receivers. Each is answered after it is carried out. */
export type Order =
  /** Returns their ports. */
  | { kind: 'open' }
  /** Forgets earlier calls, and hangs up on callers that still wait. `keepsCalls`: so that they can be checked. */
  | { kind: 'begin'; manners: readonly Manner[]; keepsCalls: boolean }
  /** Returns the arrivals when there are this many at healthy origins, or when the deadline has passed. */
  | { kind: 'await'; arrivals: number; deadlineMs: number }
  /** Returns how many of the calls that were kept carry no valid signature of the secret. */
  | { kind: 'count-unsigned'; secret: string }

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
  begin(manners: readonly Manner[], options?: { keepsCalls: boolean }): Promise<void>
  await(arrivals: number, deadlineMs: number): Promise<Arrivals>
  countUnsigned(secret: string): Promise<number>
}

export async function startReceivers({ start, signal }: Ground): Promise<Receivers> {
  const program = await start('test/load/callbacks/receivers-main.ts')
  const ask = <Answer>(order: Order) => program.ask<Answer>(order, signal)
  const ports = await ask<number[]>({ kind: 'open' })
  return {
    pid: program.pid,
    origins: ports.map((port) => `http://127.0.0.1:${port}`),
    begin: async (manners, { keepsCalls } = { keepsCalls: false }) => {
      await ask({ kind: 'begin', manners, keepsCalls })
    },
    await: (arrivals, deadlineMs) => ask({ kind: 'await', arrivals, deadlineMs }),
    countUnsigned: (secret) => ask({ kind: 'count-unsigned', secret }),
  }
}
