import type { PrintJobStatus, Transition } from '@despatch/domain/print-job/status'
import type { QueueName } from '@despatch/queue/queues'
import type { Db } from '@despatch/store/database'
import { createGroupCommit } from '@despatch/store/group-commit'
import { type Move, movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { pinFiles, type TakenStep, takeSteps } from '@despatch/store/print-job/steps'
import { transact } from '@despatch/store/transact'
import type { Pin } from './stage.ts'

export type StepMove = {
  move: Move
  actor: string
  pins: readonly Pin[]
  next: QueueName | undefined
}

/** The two writes of every step. Steps that run at the same time share their commits. */
export type StepCommits = {
  take(status: PrintJobStatus, key: string): Promise<TakenStep | undefined>
  /** Returns false if another process moved, deleted or took the print job first. */
  move(
    move: Move,
    transition: Transition,
    options: { actor: string; pins?: readonly Pin[]; next?: QueueName },
  ): Promise<boolean>
}

const stepsPerCommitMax = 100
const commitsMax = 2

export function createStepCommits(db: Db, leaseSeconds: number): StepCommits {
  const takers = new Map<PrintJobStatus, (key: string) => Promise<TakenStep | undefined>>()
  const movers = new Map<string, (step: StepMove) => Promise<boolean>>()
  return {
    take: (status, key) =>
      memoised(takers, status, () => groupTakes(db, status, leaseSeconds))(key),
    move: (move, transition, { actor, pins = [], next }) =>
      memoised(movers, `${transition} by ${actor}`, () => groupMoves(db, transition))({
        move,
        actor,
        pins,
        next,
      }),
  }
}

function groupTakes(db: Db, status: PrintJobStatus, leaseSeconds: number) {
  return createGroupCommit<string, TakenStep | undefined>({
    itemsMax: stepsPerCommitMax,
    commitsMax,
    commit: async (keys) => {
      const taken = new Map(
        (await takeSteps(db, keys, status, leaseSeconds)).map((step) => [step.key, step]),
      )
      // Two callers may ask for the same print job at once. Only one of them gets it.
      return keys.map((key) => {
        const step = taken.get(key)
        taken.delete(key)
        return step
      })
    },
  })
}

function groupMoves(db: Db, transition: Transition) {
  return createGroupCommit<StepMove, boolean>({
    itemsMax: stepsPerCommitMax,
    commitsMax,
    commit: (steps) =>
      transact(db, async (tx) => {
        const { actor, next } = steps[0]!
        for (const { move, pins } of steps) {
          await pinFiles(tx, { key: move.key, epoch: move.epoch! }, pins)
        }
        const moved = await movePrintJobs(
          tx,
          steps.map(({ move }) => move),
          transition,
          { actor, ...(next && { next }) },
        )
        const keys = new Set(moved)
        return steps.map(({ move }) => keys.has(move.key))
      }),
  })
}

function memoised<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const existing = map.get(key)
  if (existing) return existing
  const made = make()
  map.set(key, made)
  return made
}
