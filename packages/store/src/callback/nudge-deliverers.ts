import { afterCommit } from '@despatch/postgres/transact'
import { nudge } from '@despatch/work/nudges'
import type { Db } from '../database.ts'

/** What nudges about due callbacks name. */
export const dueCallbacks = 'callback'

/** Wakes the processes that deliver callbacks once the transaction is committed. A lost nudge costs up to half a second. */
export function nudgeDeliverers(db: Db): void {
  afterCommit(db, (committed) => nudge(committed, dueCallbacks))
}
