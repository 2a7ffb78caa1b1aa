import { Problem } from '@despatch/domain/problem'
import type { Db } from '@despatch/store/database'
import type { Moved } from '@despatch/store/record-set/moves'
import { findRecordSet, type RecordSet } from '@despatch/store/record-set/record-sets'

/** Throws a Problem when there is no such set, or when it is not one that is imported. */
export async function requireRecordSet(db: Db, id: number): Promise<RecordSet> {
  const set = await findRecordSet(db, id)
  if (!set || set.kind === 'uat-driver') throw recordSetNotFound(id)
  return set
}

export function recordSetNotFound(id: number): Problem {
  return new Problem('record-set-not-found', `There is no record set with the id ${id}`)
}

/** True when the set was moved by this call. Throws a Problem when it cannot be. */
export function requireMoved(id: number, moved: Moved): boolean {
  switch (moved.kind) {
    case 'moved':
      return true
    case 'unchanged':
      return false
    case 'conflict':
      throw new Problem('record-set-conflict', moved.reason)
    case 'unknown':
      throw recordSetNotFound(id)
  }
}
