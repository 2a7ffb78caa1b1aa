import { Problem } from '@despatch/domain/problem'
import { createFairQueue } from '@despatch/domain/work/fair-queue'

export type PasswordTurns = {
  /** Computes in the turn of the source. Throws a Problem 'unavailable' if too many wait, most of them of this source. */
  inTurn<Result>(source: string, compute: () => Promise<Result>): Promise<Result>
}

/** Fair queues share by this id. */
type Turn = { consumerId: string; start(): void; refuse(): void }

/**
 * Lets few computations run at a time, in turns that are fair by source: the source that has used the least time is
 * next. So however many wait for one source, another one waits for at most one computation of each source. If too many
 * wait, the last one of the source with the most is refused.
 */
export function createPasswordTurns({
  atOnceMax,
  waitingMax,
  now = () => performance.now(),
}: {
  atOnceMax: number
  waitingMax: number
  /** Monotonic time in milliseconds. */
  now?: () => number
}): PasswordTurns {
  const limits = { permits: atOnceMax, sliceMs: Number.POSITIVE_INFINITY, reservesLast: false }
  const queue = createFairQueue<Turn>(limits)
  /** In order of arrival. */
  const waiting = new Set<Turn>()

  function advance(): void {
    for (;;) {
      const choice = queue.next(now())
      if (choice.kind !== 'start') return
      waiting.delete(choice.work)
      choice.work.start()
    }
  }

  function refuseOne(): void {
    const bySource = Map.groupBy(waiting, ({ consumerId }) => consumerId)
    const most = [...bySource.values()].reduce((most, own) =>
      own.length >= most.length ? own : most,
    )
    const last = most.at(-1)!
    waiting.delete(last)
    queue.end(last, now())
    last.refuse()
  }

  async function inTurn<Result>(source: string, compute: () => Promise<Result>): Promise<Result> {
    const { promise: started, resolve, reject } = Promise.withResolvers<void>()
    const turn: Turn = {
      consumerId: source,
      start: resolve,
      refuse: () =>
        reject(new Problem('unavailable', 'Too many callers are signing in. Retry the request.')),
    }
    waiting.add(turn)
    queue.add(turn, now())
    advance()
    if (waiting.size > waitingMax) refuseOne()
    await started
    try {
      return await compute()
    } finally {
      queue.end(turn, now())
      advance()
    }
  }

  return { inTurn }
}
