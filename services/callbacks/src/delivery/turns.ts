import { randomUUID } from 'node:crypto'
import type { EndedTurns } from '@despatch/store/callback/end-turns'
import type { TakenCallback } from '@despatch/store/callback/lease'

/** The turns of this process, and their calls under way. */
export type Turns = {
  /** The number of calls that turns make at once, or still will. */
  slots(): number
  /** The number of callbacks that were called and have no recorded outcome. */
  open(): number
  /** The number of calls of each consumer. */
  readonly ofConsumers: ReadonlyMap<string, number>
  /** Returns the id of a turn that is being taken. Its row is deleted unless the turn begins. */
  newBatch(): string
  /** Adds turns that were requested at `requestedAt` (performance.now). Returns the callbacks to call now. */
  begin(callbacks: readonly TakenCallback[], requestedAt: number): TakenCallback[]
  /** Notes that a call has ended, and returns the callbacks to call now. `isFailure`: its origin is in trouble. */
  answered(callback: TakenCallback, isFailure: boolean): TakenCallback[]
  /**
   * Notes that an outcome was recorded, or that another process has taken the callback. Returns whether its turn has others
   * to call.
   */
  recorded(callback: TakenCallback): boolean
  /** Notes that nothing was recorded. The lease is left to expire, and then the calls of the turn count as interrupted. */
  lost(callback: TakenCallback): void
  /** Lets no more callbacks of turns be called. */
  stop(): void
  /** Returns the turns whose rows are to be changed. */
  ended(): EndedTurns
  /** Notes that these rows are changed. */
  changed(ended: EndedTurns): void
}

type Turn = {
  id: string
  atOnce: number
  startedAt: number
  /** In the order of their calls. */
  callbacks: readonly TakenCallback[]
  /** How many of the first were called. */
  called: number
  calls: number
  failuresInRow: number
  /** Those that were called and have no recorded outcome. */
  open: Set<TakenCallback>
  isStopped: boolean
  /** How many callbacks its row has. */
  size: number
  /** Its row has callbacks that were not called. */
  hasUncalled: boolean
}

/** Others may be waiting for the calls of a turn, so it calls no more after this time. */
const turnMsMax = 1_000
/** As a breaker opens. */
const failuresInRowMax = 10
/** The entries of ended callbacks cost each pass some time, but so does a change of a row. */
const longTurn = 4

export function createTurns({ now = () => performance.now() } = {}): Turns {
  const turns = new Map<string, Turn>()
  const turnOf = new Map<TakenCallback, Turn>()
  const ofConsumers = new Map<string, number>()
  const taking = new Set<string>()
  let isStopped = false

  function stopLate(turn: Turn): void {
    if (isStopped || now() - turn.startedAt > turnMsMax) turn.isStopped = true
  }

  /** Calls the next callbacks of a turn, as many as it may. */
  function callNext(turn: Turn): TakenCallback[] {
    stopLate(turn)
    const next: TakenCallback[] = []
    while (!turn.isStopped && turn.calls < turn.atOnce && turn.called < turn.callbacks.length) {
      const callback = turn.callbacks[turn.called]!
      turn.called += 1
      if (turn.called === turn.callbacks.length) turn.hasUncalled = false
      turn.calls += 1
      turn.open.add(callback)
      turnOf.set(callback, turn)
      ofConsumers.set(callback.consumerId, (ofConsumers.get(callback.consumerId) ?? 0) + 1)
      next.push(callback)
    }
    return next
  }

  return {
    slots: () => {
      let slots = 0
      for (const { isStopped, calls, called, callbacks, atOnce } of turns.values()) {
        slots += isStopped ? calls : Math.min(atOnce, calls + callbacks.length - called)
      }
      return slots
    },
    open: () => turnOf.size,
    ofConsumers,

    newBatch: () => {
      const id = randomUUID()
      taking.add(id)
      return id
    },

    begin: (taken, requestedAt) =>
      [...Map.groupBy(taken, ({ batch }) => batch)].flatMap(([id, callbacks]) => {
        const { atOnce } = callbacks[0]!
        const turn: Turn = {
          id,
          atOnce,
          startedAt: requestedAt,
          callbacks,
          called: 0,
          calls: 0,
          failuresInRow: 0,
          open: new Set(),
          isStopped: false,
          size: callbacks.length,
          hasUncalled: true,
        }
        turns.set(id, turn)
        taking.delete(id)
        return callNext(turn)
      }),

    answered: (callback, isFailure) => {
      const turn = turnOf.get(callback)!
      turn.calls -= 1
      const ofConsumer = ofConsumers.get(callback.consumerId)! - 1
      if (ofConsumer > 0) ofConsumers.set(callback.consumerId, ofConsumer)
      else ofConsumers.delete(callback.consumerId)
      turn.failuresInRow = isFailure ? turn.failuresInRow + 1 : 0
      if (turn.failuresInRow >= failuresInRowMax) turn.isStopped = true
      return callNext(turn)
    },

    recorded: (callback) => {
      const turn = turnOf.get(callback)!
      turnOf.delete(callback)
      turn.open.delete(callback)
      return !turn.isStopped && turn.called < turn.callbacks.length
    },

    lost: (callback) => {
      const turn = turnOf.get(callback)!
      turnOf.delete(callback)
      turn.isStopped = true
      turns.delete(turn.id)
    },

    stop: () => {
      isStopped = true
    },

    ended: () => {
      for (const turn of turns.values()) stopLate(turn)
      const done = [...turns.values()].filter(
        ({ isStopped, called, callbacks }) => isStopped || called === callbacks.length,
      )
      const isShorter = ({ open, size, hasUncalled }: Turn) =>
        hasUncalled || (size >= longTurn && open.size * 2 <= size)
      return {
        batches: [...done.filter(({ open }) => open.size === 0).map(({ id }) => id), ...taking],
        kept: done
          .filter((turn) => turn.open.size > 0 && isShorter(turn))
          .map(({ id, open }) => ({ batch: id, callbacks: [...open] })),
      }
    },

    changed: ({ batches, kept }) => {
      for (const id of batches) {
        turns.delete(id)
        taking.delete(id)
      }
      for (const { batch, callbacks } of kept) {
        const turn = turns.get(batch)
        if (turn) Object.assign(turn, { size: callbacks.length, hasUncalled: false })
      }
    },
  }
}
