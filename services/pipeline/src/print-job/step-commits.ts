import type { Transition } from '@despatch/domain/print-job/status'
import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import { createGroupCommit } from '@despatch/store/group-commit'
import { type Move, type MoveOptions, movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { byKey, pinFiles } from '@despatch/store/print-job/steps'
import {
  insertUnstoredDocuments,
  type NewUnstoredDocument,
} from '@despatch/store/print-job/unstored-documents'
import type { Pin } from './stage.ts'

type StepMove = { move: Move; pins: readonly Pin[]; unstored?: NewUnstoredDocument | undefined }

/** Writes the outcomes of steps. Steps that end at the same time share a commit. */
export type StepCommits = {
  /** Returns false if another process moved, deleted or took the print job first. */
  move(
    move: Move,
    transition: Transition,
    options: MoveOptions & {
      pins?: readonly Pin[]
      /** The document that `made` names, if it is not in the object store yet. */
      unstored?: NewUnstoredDocument | undefined
    },
  ): Promise<boolean>
}

const stepsPerCommitMax = 100
const commitsMax = 2
export function createStepCommits(db: Db): StepCommits {
  const movers = new Map<string, (step: StepMove) => Promise<boolean>>()
  return {
    move: (move, transition, { pins = [], unstored, ...options }) => {
      const kind = JSON.stringify([transition, options])
      const mover = movers.get(kind) ?? groupMoves(db, transition, options)
      movers.set(kind, mover)
      return mover({ move, pins, unstored })
    },
  }
}

function groupMoves(db: Db, transition: Transition, options: MoveOptions) {
  return createGroupCommit<StepMove, boolean>({
    itemsMax: stepsPerCommitMax,
    commitsMax,
    commit: (steps) =>
      transact(db, async (tx) => {
        const ordered = steps.toSorted((one, other) => byKey(one.move, other.move))
        for (const { move, pins } of ordered) {
          await pinFiles(tx, { key: move.key, epoch: move.epoch! }, pins)
        }
        const moved = await movePrintJobs(
          tx,
          ordered.map(({ move }) => move),
          transition,
          options,
        )
        const keys = new Set(moved)
        await insertUnstoredDocuments(
          tx,
          ordered.flatMap(({ move: { key }, unstored }) =>
            unstored && keys.has(key) ? [unstored] : [],
          ),
        )
        return steps.map(({ move }) => keys.has(move.key))
      }),
  })
}
