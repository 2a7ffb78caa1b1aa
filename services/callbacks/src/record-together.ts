import { type CallbackRecord, recordCallbacks } from '@despatch/store/callback/record'
import type { Database } from '@despatch/store/database'
import { createGroupCommit } from '@despatch/store/group-commit'

const recordsPerCommitMax = 200
const commitsMax = 2

/**
 * Returns a function that records deliveries that end at the same time in one commit. It returns false for a callback
 * that another process has taken meanwhile.
 */
export function recordTogether(
  pool: Database['pool'],
): (record: CallbackRecord) => Promise<boolean> {
  return createGroupCommit({
    itemsMax: recordsPerCommitMax,
    commitsMax,
    commit: async (records: readonly CallbackRecord[]) => {
      const written = new Set(await recordCallbacks(pool, [...records]))
      return records.map(({ id }) => written.has(id))
    },
  })
}
