import { type Account, createVirtualTime } from '@despatch/domain/work/virtual-time'
import type { QueueName } from '@despatch/queue/queues'
import type { Kind } from './kind.ts'

/** The waiting subjects of one consumer in one lane. */
export type WaitingSubjects = {
  lane: string
  consumerId: string
  /** How many wait; counted up to `subjectsMax` only. */
  size: number
}

/** How many subjects of one consumer a batch takes, oldest first. */
export type Share = { consumerId: string; size: number }

/** How many batches each queue may still be given. */
export type Room = Readonly<Record<string, number>>

export type BatchChoice = {
  lane: string
  queue: QueueName
  shares: readonly Share[]
  /** It holds the first subjects of a consumer that had none waiting, so it overtakes the others. */
  isFirst: boolean
}

/** The part of a process's time that subjects of one consumer took, measured when their batch ended. */
export type SpentTime = { lane: string; consumerId: string; size: number; ms: number }

type BatchChooser = {
  /** Adds what ended batches took to the accounts of their consumers. */
  spend(spent: readonly SpentTime[]): void
  /** Chooses the next batches, at most `room` for each queue. */
  choose(waiting: readonly WaitingSubjects[], room: Room): BatchChoice[]
  /** Notes that no subjects wait. The next subjects then count as the first of their consumers. */
  rest(): void
  /** How many consumers it remembers, over all lanes. */
  accounts(): number
}

/** A batch is as much work as a process does in this time. */
export const batchMs = 150
/** A batch has at most so many subjects. */
export const subjectsMax = 100
/** The first subjects of a consumer overtake others, so there are few in a batch. */
const firstBatchMs = batchMs / 4
/** From this time for a subject, the subjects of a consumer go to the workers for slow ones. */
export const slowMs = 3_000
/** How much the newest batch counts in the running mean. */
const newestWeight = 0.3
/** An account is forgotten after this many passes without subjects, once the others have caught up with it. */
const idlePassesMax = 1_000
/** If a lane has more accounts, those without subjects are forgotten in the next pass. */
const accountsMax = 10_000
/** Estimates of more subjects than can be under way are of batches whose measurement another process has read. */
const chargedMax = 1_000

/** What a consumer has used is the work done for it in a lane. */
type LaneAccount = Account & {
  /** Mean time of a subject in milliseconds; undefined before the first is measured. */
  subjectMs: number | undefined
  /** The subjects that were charged with an estimate and are not measured yet, and these estimates. */
  charged: { size: number; ms: number }
  wasWaiting: boolean
  /** Its first subjects have not been chosen yet. */
  isFirst: boolean
  idlePasses: number
}

/**
 * Returns a chooser that shares the workers fairly between consumers. Each lane keeps an account of the time that each
 * consumer has used, and the consumer with the least comes next. A batch is charged with an estimate, and corrected by
 * what it took. A consumer whose subjects begin to wait starts level with the others, and its first subjects overtake
 * them once. The memory is this process's own: a restart costs each consumer at most one batch.
 */
export function createBatchChooser(kind: Pick<Kind, 'lanes' | 'queues'>): BatchChooser {
  /** In the order of their turns: the lane that chose last comes last. */
  const laneStates = new Map<string, LaneState>()
  const stateOf = (lane: string) => {
    const state = laneStates.get(lane) ?? createLaneState(kind, lane)
    laneStates.set(lane, state)
    return state
  }
  const endTurn = (lane: string, state: LaneState) => {
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

function createLaneState({ lanes, queues }: Pick<Kind, 'lanes' | 'queues'>, lane: string) {
  const { guessMs, batchMin = 1, isSlow: isSlowLane = false } = lanes[lane]!
  const time = createVirtualTime(newAccount)
  const { accounts } = time
  let meanMs = guessMs

  /** While the first subjects of a consumer are not measured, its others are taken for slow: few are under way then. */
  const estimate = ({ subjectMs, charged }: LaneAccount) =>
    subjectMs ?? (charged.size > 0 ? slowMs : meanMs)
  // what subjects of others took does not make a consumer slow
  const isSlow = (consumerId: string) =>
    isSlowLane || (accounts.get(consumerId)?.subjectMs ?? 0) >= slowMs

  /** Brings the accounts up to date with the consumers that have subjects waiting. */
  function meet(consumerIds: ReadonlySet<string>): void {
    // Nobody has waited since the last pass, so nobody was kept waiting by others: all are level.
    if (![...consumerIds].some((consumerId) => accounts.get(consumerId)?.wasWaiting)) time.rest()
    const passesMax = accounts.size > accountsMax ? 0 : idlePassesMax
    for (const [consumerId, account] of accounts) {
      if (consumerIds.has(consumerId)) continue
      account.wasWaiting = false
      account.isFirst = false
      account.idlePasses += 1
    }
    time.forget(
      (consumerId, { idlePasses }) => !consumerIds.has(consumerId) && idlePasses > passesMax,
    )
    for (const consumerId of consumerIds) arrive(consumerId)
  }

  function arrive(consumerId: string): void {
    const known = accounts.get(consumerId)
    if (known?.wasWaiting) return
    const isFirst = !known || known.usedMs <= time.levelMs()
    Object.assign(time.enter(consumerId), { isFirst, wasWaiting: true, idlePasses: 0 })
  }

  function advance(left: ReadonlyMap<string, number>): void {
    time.advance([...left.keys()].map((consumerId) => accounts.get(consumerId)!.usedMs))
  }

  return {
    meet,
    accounts: () => accounts.size,

    spend({ consumerId, size, ms }: Omit<SpentTime, 'lane'>): void {
      if (size === 0) return
      const measured = ms / size
      const account = accounts.get(consumerId)
      if (account) {
        account.usedMs = Math.max(0, account.usedMs + ms - refund(account, size, meanMs))
        account.subjectMs = weigh(account.subjectMs ?? measured, measured)
      }
      meanMs = weigh(meanMs, measured)
    },

    /** Returns a function that chooses the next batch of this lane, and takes its place from `room`. */
    turns(waiting: readonly Share[], room: Record<string, number>) {
      const left = new Map(waiting.map(({ consumerId, size }) => [consumerId, size]))
      meet(new Set(left.keys()))
      advance(left)
      const queueOf = (consumerId: string): QueueName =>
        (isSlow(consumerId) ? queues.slow : queues.ordinary).name

      const take = (consumerId: string, budget: { ms: number; size: number }): Share => {
        const account = accounts.get(consumerId)!
        const subjectMs = Math.max(estimate(account), subjectMsMin)
        const waits = left.get(consumerId)!
        const least = account.isFirst ? 1 : batchMin
        const fitting = Math.max(least, Math.floor(budget.ms / subjectMs))
        const size = isSlow(consumerId) ? 1 : Math.min(fitting, waits, budget.size)
        if (size === waits) left.delete(consumerId)
        else left.set(consumerId, waits - size)
        account.isFirst = false
        charge(account, size, subjectMs)
        budget.ms -= size * subjectMs
        budget.size -= size
        return { consumerId, size }
      }

      const next = (open: readonly QueueName[]): string | undefined => {
        let best: string | undefined
        for (const consumerId of left.keys()) {
          if (!open.includes(queueOf(consumerId))) continue
          const account = accounts.get(consumerId)!
          if (account.isFirst) return consumerId
          if (best === undefined || account.usedMs < accounts.get(best)!.usedMs) best = consumerId
        }
        return best
      }

      return (): BatchChoice | undefined => {
        const named = [queues.ordinary.name, queues.slow.name]
        const open = named.filter((queue) => (room[queue] ?? 0) > 0)
        const consumerId = next(open)
        if (consumerId === undefined) return undefined
        const queue = queueOf(consumerId)
        room[queue]! -= 1
        const { isFirst } = accounts.get(consumerId)!
        const ms = isFirst ? firstBatchMs : batchMs
        const budget = { ms, size: subjectsMax }
        const shares = [take(consumerId, budget)]
        // what is less than half a batch takes subjects of the next consumers along
        const isAlone = isSlow(consumerId)
        while (!isAlone && budget.ms > ms / 2 && budget.size > subjectsMax / 2) {
          const other = next([queue])
          if (other === undefined || accounts.get(other)!.isFirst !== isFirst) break
          shares.push(take(other, budget))
        }
        advance(left)
        return { lane, queue, isFirst, shares }
      }
    },
  }
}

const subjectMsMin = 0.01

const newAccount = (usedMs: number): LaneAccount => ({
  usedMs,
  subjectMs: undefined,
  charged: { size: 0, ms: 0 },
  wasWaiting: false,
  isFirst: false,
  idlePasses: 0,
})

function charge(account: LaneAccount, size: number, subjectMs: number): void {
  account.usedMs += size * subjectMs
  const { charged } = account
  const sum = { size: charged.size + size, ms: charged.ms + size * subjectMs }
  const kept = Math.min(1, chargedMax / sum.size)
  account.charged = { size: sum.size * kept, ms: sum.ms * kept }
}

/** Returns what these subjects were charged with. Subjects that another process charged count with the estimate. */
function refund(account: LaneAccount, size: number, meanMs: number): number {
  const { charged } = account
  const own = Math.min(size, charged.size)
  const ownMs = own > 0 ? (charged.ms * own) / charged.size : 0
  account.charged = { size: charged.size - own, ms: charged.ms - ownMs }
  return ownMs + (size - own) * (account.subjectMs ?? meanMs)
}

const weigh = (mean: number, newest: number) => mean + newestWeight * (newest - mean)
