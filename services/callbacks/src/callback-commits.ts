import {
  type CallbackRecord,
  recordCallbacks,
  type TakenCallback,
  takeCallbacks,
} from '@despatch/store/callback/callbacks'
import type { Db } from '@despatch/store/database'
import { createGroupCommit } from '@despatch/store/group-commit'

/** The two writes of every delivery, shared by the deliveries that run at the same time. */
export type CallbackCommits = {
  /** Undefined: not due, ended, held by another worker, or another callback of its print job comes first. */
  take(id: string): Promise<TakenCallback | undefined>
  /** False: somebody else has taken the callback meanwhile. */
  record(record: CallbackRecord): Promise<boolean>
}

const callbacksPerCommitMax = 100
const commitsMax = 2

export function createCallbackCommits(db: Db, leaseSeconds: number): CallbackCommits {
  return {
    take: createGroupCommit({
      itemsMax: callbacksPerCommitMax,
      commitsMax,
      commit: async (ids: readonly string[]) => {
        const taken = await takeCallbacks(db, ids, { leaseSeconds })
        const free = new Map(taken.map((callback) => [callback.id, callback]))
        // The same callback may be asked for twice at once: only one of the askers gets it.
        return ids.map((id) => {
          const callback = free.get(id)
          free.delete(id)
          return callback
        })
      },
    }),
    record: createGroupCommit({
      itemsMax: callbacksPerCommitMax,
      commitsMax,
      commit: async (records: readonly CallbackRecord[]) => {
        const recorded = new Set(await recordCallbacks(db, records))
        return records.map(({ id }) => recorded.has(id))
      },
    }),
  }
}
