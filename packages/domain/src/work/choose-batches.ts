import type { Lane, WorkQueue } from './lane.ts'

/** The waiting letters of one consumer in one lane. */
export type WaitingLetters = {
  lane: Lane
  consumerId: string
  /** How many wait; counted up to `lettersMax` only. */
  letters: number
}

/** How many letters of one consumer a batch takes, oldest first. */
export type Share = { consumerId: string; letters: number }

export type BatchChoice = {
  lane: Lane
  queue: WorkQueue
  shares: readonly Share[]
  /** It holds the first letters of a consumer that had none waiting, so it overtakes the others. */
  isFirst: boolean
}

/** What letters of one consumer took, measured when their batch ended. */
export type SpentTime = { lane: Lane; consumerId: string; letters: number; ms: number }

export type BatchChooser = {
  /** Adds what ended batches took to the accounts of their consumers. */
  spend(spent: readonly SpentTime[]): void
  /** Chooses the next batches, at most `room` for each queue. */
  choose(
    waiting: readonly WaitingLetters[],
    room: Readonly<Record<WorkQueue, number>>,
  ): BatchChoice[]
}

/** A batch is as much work as one worker does in this time. */
export const batchMs = 150
export const lettersMax = 100
/** A lane's first guess of what a letter takes, until some are measured. */
const guessMs: Readonly<Record<Lane, number>> = { plain: 5, files: 40, slow: 3_000 }
/** From this time for a letter, the letters of a consumer go to the workers for slow ones. */
const slowMs = 3_000
/** How much the newest batch counts in the running mean. */
const newestWeight = 0.3
/** An account is forgotten after this many passes without letters, once the others have caught up with it. */
const idlePassesMax = 1_000

type Account = {
  /** Virtual time: the work done for the consumer in milliseconds, and never behind that of those who waited. */
  tag: number
  /** Mean time of a letter in milliseconds; undefined before the first is measured. */
  letterMs: number | undefined
  wasWaiting: boolean
  idlePasses: number
}

/**
 * Returns a chooser that shares the workers fairly between consumers. Each lane keeps an account of the time that each
 * consumer has used, and the consumer with the least comes next. A batch is charged with an estimate, and corrected by
 * what it took. A consumer whose letters begin to wait starts level with the others, and its first letters overtake
 * them once. The memory is this process's own: a process that begins anew costs each consumer at most one batch.
 */
export function createBatchChooser(): BatchChooser {
  const laneStates = new Map<Lane, LaneState>()
  const stateOf = (lane: Lane) => {
    const state = laneStates.get(lane) ?? createLaneState(lane)
    laneStates.set(lane, state)
    return state
  }
  return {
    spend: (spent) => {
      for (const { lane, ...time } of spent) stateOf(lane).spend(time)
    },
    choose: (waiting, room) => {
      const left = { ...room }
      const byLane = Map.groupBy(waiting, ({ lane }) => lane)
      for (const lane of byLane.keys()) stateOf(lane)
      const choices: BatchChoice[] = []
      const turns = [...laneStates].map(([lane, state]) =>
        state.turns(byLane.get(lane) ?? [], left),
      )
      // the lanes of one queue take turns, so that none fills it alone
      let isChosen = true
      while (isChosen) {
        isChosen = false
        for (const turn of turns) {
          const choice = turn()
          if (choice) choices.push(choice)
          isChosen ||= choice !== undefined
        }
      }
      return choices
    },
  }
}

type LaneState = ReturnType<typeof createLaneState>

function createLaneState(lane: Lane) {
  const accounts = new Map<string, Account>()
  /** The tag of the consumer that has used least of those that wait. */
  let virtualMs = 0
  let meanMs = guessMs[lane]

  const letterMsOf = (consumerId: string) => accounts.get(consumerId)?.letterMs ?? meanMs

  function meet(waiting: readonly Share[]): Set<string> {
    const first = new Set<string>()
    const present = new Set(waiting.map(({ consumerId }) => consumerId))
    for (const [consumerId, account] of accounts) {
      if (present.has(consumerId)) continue
      account.wasWaiting = false
      account.idlePasses += 1
      if (account.tag <= virtualMs && account.idlePasses > idlePassesMax)
        accounts.delete(consumerId)
    }
    for (const { consumerId } of waiting) {
      const account = accounts.get(consumerId)
      if (!account) {
        const fresh = { tag: virtualMs, letterMs: undefined, wasWaiting: true, idlePasses: 0 }
        accounts.set(consumerId, fresh)
        first.add(consumerId)
        continue
      }
      if (!account.wasWaiting && account.tag <= virtualMs) first.add(consumerId)
      if (!account.wasWaiting) account.tag = Math.max(account.tag, virtualMs)
      account.wasWaiting = true
      account.idlePasses = 0
    }
    return first
  }

  function advance(left: ReadonlyMap<string, number>): void {
    const tags = [...left.keys()].map((consumerId) => accounts.get(consumerId)!.tag)
    if (tags.length > 0) virtualMs = Math.max(virtualMs, Math.min(...tags))
  }

  return {
    spend({ consumerId, letters, ms }: Omit<SpentTime, 'lane'>): void {
      if (letters === 0) return
      const account = accounts.get(consumerId)
      const estimate = letterMsOf(consumerId)
      const measured = ms / letters
      meanMs = weigh(meanMs, measured)
      if (!account) return
      account.tag = Math.max(0, account.tag + (measured - estimate) * letters)
      account.letterMs = weigh(account.letterMs ?? measured, measured)
    },

    /** Returns a function that chooses the next batch of this lane, and takes its place from `room`. */
    turns(waiting: readonly Share[], room: Record<WorkQueue, number>) {
      const first = meet(waiting)
      const left = new Map(waiting.map(({ consumerId, letters }) => [consumerId, letters]))
      advance(left)
      const isSlow = (consumerId: string) => lane === 'slow' || letterMsOf(consumerId) >= slowMs
      const queueOf = (consumerId: string): WorkQueue => (isSlow(consumerId) ? 'slow' : 'letters')

      const take = (consumerId: string, budgetMs: number): Share & { ms: number } => {
        const letterMs = letterMsOf(consumerId)
        const fitting = Math.max(1, Math.floor(budgetMs / Math.max(letterMs, 0.01)))
        const waits = left.get(consumerId)!
        const letters = isSlow(consumerId) ? 1 : Math.min(fitting, waits, lettersMax)
        if (letters === waits) left.delete(consumerId)
        else left.set(consumerId, waits - letters)
        accounts.get(consumerId)!.tag += letters * letterMs
        return { consumerId, letters, ms: letters * letterMs }
      }

      const next = (queues: readonly WorkQueue[]): string | undefined => {
        let best: string | undefined
        for (const consumerId of left.keys()) {
          if (!queues.includes(queueOf(consumerId))) continue
          if (first.has(consumerId)) return consumerId
          if (best === undefined || accounts.get(consumerId)!.tag < accounts.get(best)!.tag) {
            best = consumerId
          }
        }
        return best
      }

      return (): BatchChoice | undefined => {
        const open = (['letters', 'slow'] as const).filter((queue) => room[queue] > 0)
        const consumerId = next(open)
        if (consumerId === undefined) return undefined
        const queue = queueOf(consumerId)
        room[queue] -= 1
        const isFirst = first.delete(consumerId)
        const shares = [take(consumerId, isFirst ? batchMs / 4 : batchMs)]
        if (queue === 'letters') fill(shares, isFirst)
        advance(left)
        return { lane, queue, isFirst, shares: shares.map(toShare) }

        // what is less than half a batch takes letters of the next consumers along
        function fill(filled: (Share & { ms: number })[], ofFirst: boolean): void {
          const budgetMs = ofFirst ? batchMs / 4 : batchMs
          for (;;) {
            const usedMs = filled.reduce((sum, { ms }) => sum + ms, 0)
            const letters = filled.reduce((sum, share) => sum + share.letters, 0)
            const other = next(['letters'])
            if (usedMs >= budgetMs / 2 || letters >= lettersMax / 2 || other === undefined) return
            if (ofFirst !== first.has(other) || filled.some((share) => share.consumerId === other))
              return
            first.delete(other)
            filled.push(take(other, budgetMs - usedMs))
          }
        }
      }
    },
  }
}

const weigh = (mean: number, newest: number) => mean + newestWeight * (newest - mean)
const toShare = ({ consumerId, letters }: Share): Share => ({ consumerId, letters })
