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

/** The part of a process's time that letters of one consumer took, measured when their batch ended. */
export type SpentTime = { lane: Lane; consumerId: string; letters: number; ms: number }

type BatchChooser = {
  /** Adds what ended batches took to the accounts of their consumers. */
  spend(spent: readonly SpentTime[]): void
  /** Chooses the next batches, at most `room` for each queue. */
  choose(
    waiting: readonly WaitingLetters[],
    room: Readonly<Record<WorkQueue, number>>,
  ): BatchChoice[]
  /** Notes that no letters wait. The next letters then count as the first of their consumers. */
  rest(): void
  /** How many consumers it remembers, over all lanes. */
  accounts(): number
}

/** A batch is as much work as a process does in this time. */
export const batchMs = 150
export const lettersMax = 100
/** The first letters of a consumer overtake others, so there are few in a batch. */
const firstBatchMs = batchMs / 4
/** A lane's first guess of what a letter takes, until some are measured. */
const guessMs: Readonly<Record<Lane, number>> = { plain: 5, files: 40, slow: 3_000 }
/** From this time for a letter, the letters of a consumer go to the workers for slow ones. */
export const slowMs = 3_000
/** How much the newest batch counts in the running mean. */
const newestWeight = 0.3
/** An account is forgotten after this many passes without letters, once the others have caught up with it. */
const idlePassesMax = 1_000
/** If a lane has more accounts, those without letters are forgotten in the next pass. */
const accountsMax = 10_000
/** Estimates of more letters than can be under way are of batches whose measurement another process has read. */
const chargedLettersMax = 1_000

type Account = {
  /** Virtual time: the work done for the consumer in milliseconds, and never behind that of those who waited. */
  tag: number
  /** Mean time of a letter in milliseconds; undefined before the first is measured. */
  letterMs: number | undefined
  /** The letters that were charged with an estimate and are not measured yet, and these estimates. */
  charged: { letters: number; ms: number }
  wasWaiting: boolean
  /** Its first letters have not been chosen yet. */
  isFirst: boolean
  idlePasses: number
}

/**
 * Returns a chooser that shares the workers fairly between consumers. Each lane keeps an account of the time that each
 * consumer has used, and the consumer with the least comes next. A batch is charged with an estimate, and corrected by
 * what it took. A consumer whose letters begin to wait starts level with the others, and its first letters overtake
 * them once. The memory is this process's own: a restart costs each consumer at most one batch.
 */
export function createBatchChooser(): BatchChooser {
  /** In the order of their turns: the lane that chose last comes last. */
  const laneStates = new Map<Lane, LaneState>()
  const stateOf = (lane: Lane) => {
    const state = laneStates.get(lane) ?? createLaneState(lane)
    laneStates.set(lane, state)
    return state
  }
  const endTurn = (lane: Lane, state: LaneState) => {
    laneStates.delete(lane)
    laneStates.set(lane, state)
  }
  return {
    spend: (spent) => {
      for (const { lane, ...time } of spent) stateOf(lane).spend(time)
    },
    choose: (waiting, room) => {
      const left = { ...room }
      const byLane = Map.groupBy(waiting, ({ lane }) => lane)
      for (const lane of byLane.keys()) stateOf(lane)
      const turns = new Map(
        [...laneStates].map(([lane, state]) => [lane, state.turns(byLane.get(lane) ?? [], left)]),
      )
      // the lanes of one queue take turns, also over several passes, so that none fills it alone
      const chooseNext = () => {
        for (const [lane, state] of laneStates) {
          const choice = turns.get(lane)!()
          if (choice) endTurn(lane, state)
          if (choice) return choice
        }
        return undefined
      }
      const choices: BatchChoice[] = []
      for (let choice = chooseNext(); choice; choice = chooseNext()) choices.push(choice)
      return choices
    },
    rest: () => {
      for (const state of laneStates.values()) state.meet(new Set())
    },
    accounts: () => [...laneStates.values()].reduce((sum, state) => sum + state.accounts(), 0),
  }
}

type LaneState = ReturnType<typeof createLaneState>

function createLaneState(lane: Lane) {
  const accounts = new Map<string, Account>()
  /** The tag of the consumer that has used least of those that wait. */
  let virtualMs = 0
  let meanMs = guessMs[lane]

  /** While the first letters of a consumer are not measured, its others are taken for slow: few are under way then. */
  const estimate = ({ letterMs, charged }: Account) =>
    letterMs ?? (charged.letters > 0 ? slowMs : meanMs)
  // what letters of others took does not make a consumer slow
  const isSlow = (consumerId: string) =>
    lane === 'slow' || (accounts.get(consumerId)?.letterMs ?? 0) >= slowMs

  /** Brings the accounts up to date with the consumers that have letters waiting. */
  function meet(consumerIds: ReadonlySet<string>): void {
    // Nobody has waited since the last pass, so nobody was kept waiting by others: all are level.
    if (![...consumerIds].some((consumerId) => accounts.get(consumerId)?.wasWaiting)) {
      for (const { tag } of accounts.values()) virtualMs = Math.max(virtualMs, tag)
    }
    const passesMax = accounts.size > accountsMax ? 0 : idlePassesMax
    for (const [consumerId, account] of accounts) {
      if (consumerIds.has(consumerId)) continue
      account.wasWaiting = false
      account.isFirst = false
      account.idlePasses += 1
      if (account.tag <= virtualMs && account.idlePasses > passesMax) accounts.delete(consumerId)
    }
    for (const consumerId of consumerIds) arrive(consumerId)
  }

  function arrive(consumerId: string): void {
    const account = accounts.get(consumerId) ?? newAccount(virtualMs)
    if (!account.wasWaiting) {
      account.isFirst = account.tag <= virtualMs
      account.tag = Math.max(account.tag, virtualMs)
    }
    account.wasWaiting = true
    account.idlePasses = 0
    accounts.set(consumerId, account)
  }

  function advance(left: ReadonlyMap<string, number>): void {
    let least = Number.POSITIVE_INFINITY
    for (const consumerId of left.keys()) {
      least = Math.min(least, accounts.get(consumerId)!.tag)
    }
    if (left.size > 0) virtualMs = Math.max(virtualMs, least)
  }

  return {
    meet,
    accounts: () => accounts.size,

    spend({ consumerId, letters, ms }: Omit<SpentTime, 'lane'>): void {
      if (letters === 0) return
      const measured = ms / letters
      const account = accounts.get(consumerId)
      if (account) {
        account.tag = Math.max(0, account.tag + ms - refund(account, letters, meanMs))
        account.letterMs = weigh(account.letterMs ?? measured, measured)
      }
      meanMs = weigh(meanMs, measured)
    },

    /** Returns a function that chooses the next batch of this lane, and takes its place from `room`. */
    turns(waiting: readonly Share[], room: Record<WorkQueue, number>) {
      const left = new Map(waiting.map(({ consumerId, letters }) => [consumerId, letters]))
      meet(new Set(left.keys()))
      advance(left)
      const queueOf = (consumerId: string): WorkQueue => (isSlow(consumerId) ? 'slow' : 'letters')

      const take = (consumerId: string, budget: { ms: number; letters: number }): Share => {
        const account = accounts.get(consumerId)!
        const letterMs = Math.max(estimate(account), letterMsMin)
        const waits = left.get(consumerId)!
        const fitting = Math.max(1, Math.floor(budget.ms / letterMs))
        const letters = isSlow(consumerId) ? 1 : Math.min(fitting, waits, budget.letters)
        if (letters === waits) left.delete(consumerId)
        else left.set(consumerId, waits - letters)
        account.isFirst = false
        charge(account, letters, letterMs)
        budget.ms -= letters * letterMs
        budget.letters -= letters
        return { consumerId, letters }
      }

      const next = (queues: readonly WorkQueue[]): string | undefined => {
        let best: string | undefined
        for (const consumerId of left.keys()) {
          if (!queues.includes(queueOf(consumerId))) continue
          const account = accounts.get(consumerId)!
          if (account.isFirst) return consumerId
          if (best === undefined || account.tag < accounts.get(best)!.tag) best = consumerId
        }
        return best
      }

      return (): BatchChoice | undefined => {
        const open = (['letters', 'slow'] as const).filter((queue) => room[queue] > 0)
        const consumerId = next(open)
        if (consumerId === undefined) return undefined
        const queue = queueOf(consumerId)
        room[queue] -= 1
        const { isFirst } = accounts.get(consumerId)!
        const ms = isFirst ? firstBatchMs : batchMs
        const budget = { ms, letters: lettersMax }
        const shares = [take(consumerId, budget)]
        // what is less than half a batch takes letters of the next consumers along
        while (queue === 'letters' && budget.ms > ms / 2 && budget.letters > lettersMax / 2) {
          const other = next(['letters'])
          if (other === undefined || accounts.get(other)!.isFirst !== isFirst) break
          shares.push(take(other, budget))
        }
        advance(left)
        return { lane, queue, isFirst, shares }
      }
    },
  }
}

const letterMsMin = 0.01

const newAccount = (tag: number): Account => ({
  tag,
  letterMs: undefined,
  charged: { letters: 0, ms: 0 },
  wasWaiting: false,
  isFirst: false,
  idlePasses: 0,
})

function charge(account: Account, letters: number, letterMs: number): void {
  account.tag += letters * letterMs
  const { charged } = account
  const sum = { letters: charged.letters + letters, ms: charged.ms + letters * letterMs }
  const kept = Math.min(1, chargedLettersMax / sum.letters)
  account.charged = { letters: sum.letters * kept, ms: sum.ms * kept }
}

/** Returns what these letters were charged with. Letters that another process charged count with the estimate. */
function refund(account: Account, letters: number, meanMs: number): number {
  const { charged } = account
  const own = Math.min(letters, charged.letters)
  const ownMs = own > 0 ? (charged.ms * own) / charged.letters : 0
  account.charged = { letters: charged.letters - own, ms: charged.ms - ownMs }
  return ownMs + (letters - own) * (account.letterMs ?? meanMs)
}

const weigh = (mean: number, newest: number) => mean + newestWeight * (newest - mean)
