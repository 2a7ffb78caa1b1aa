import { Problem } from '@despatch/domain/problem'

type PasswordTurns = {
  /** Computes in the turn of the source. Throws a Problem 'unavailable' if too many wait, most of them of this source. */
  inTurn<Result>(source: string, compute: () => Promise<Result>): Promise<Result>
}

type Turn = { start(): void; refuse(): void }

/**
 * Lets few computations run at a time. The sources take turns, each with one computation: a source that comes, or whose
 * computation ends, joins behind those that wait. So however many wait for one source, and however many sources come
 * later, another one waits for at most one computation of each source before it. If too many wait, the last one of the
 * source with the most is refused. Nothing is remembered of a source that does not wait.
 */
export function createPasswordTurns({
  atOnceMax,
  waitingMax,
}: {
  atOnceMax: number
  waitingMax: number
}): PasswordTurns {
  /** The sources in the order of their turns, each with its own in order of arrival. */
  const waiting = new Map<string, Turn[]>()
  let waitingCount = 0
  let running = 0

  function wait(source: string, turn: Turn): void {
    const own = waiting.get(source)
    if (own) own.push(turn)
    else waiting.set(source, [turn])
    waitingCount += 1
    if (waitingCount > waitingMax) refuseOne()
  }

  function refuseOne(): void {
    const [source, own] = [...waiting].reduce((most, each) =>
      each[1].length >= most[1].length ? each : most,
    )
    const last = own.pop()!
    if (own.length === 0) waiting.delete(source)
    waitingCount -= 1
    last.refuse()
  }

  function moveBehind(source: string): void {
    const own = waiting.get(source) ?? []
    waiting.delete(source)
    if (own.length > 0) waiting.set(source, own)
  }

  function takeNext(): Turn | undefined {
    const [next] = waiting
    if (!next) return undefined
    const [source, own] = next
    const turn = own.shift()
    waitingCount -= 1
    moveBehind(source)
    return turn
  }

  async function inTurn<Result>(source: string, compute: () => Promise<Result>): Promise<Result> {
    if (running < atOnceMax) running += 1
    else {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const refusal = new Problem(
        'unavailable',
        'Too many callers are signing in. Retry the request.',
      )
      wait(source, { start: resolve, refuse: () => reject(refusal) })
      await promise
    }
    try {
      return await compute()
    } finally {
      moveBehind(source)
      const next = takeNext()
      if (next) next.start()
      else running -= 1
    }
  }

  return { inTurn }
}
