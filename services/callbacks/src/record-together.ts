import { type CallbackRecord, recordCallbacks } from '@despatch/store/callback/record'
import type { Database } from '@despatch/store/database'
import { createGroupCommit } from '@despatch/store/group-commit'

const recordsPerCommitMax = 200
const commitsMax = 2
/** SQLSTATE classes of a value that a row cannot have, and of a rule that it breaks. */
const faultsOfOneRecord = /^2[23]/

/** Writes what deliveries that end at the same time have to say together. False: somebody else has taken it meanwhile. */
export function recordTogether(
  pool: Database['pool'],
): (record: CallbackRecord) => Promise<boolean> {
  return createGroupCommit({
    itemsMax: recordsPerCommitMax,
    commitsMax,
    isOfOneItem: (error) => faultsOfOneRecord.test(String((error as { code?: unknown }).code)),
    commit: async (records: readonly CallbackRecord[]) => {
      const written = new Set(await recordCallbacks(pool, [...records]))
      return records.map(({ id }) => written.has(id))
    },
  })
}
