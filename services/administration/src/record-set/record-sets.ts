import type { RecordKind } from '@despatch/contracts/records/record-kinds'
import { Problem } from '@despatch/domain/problem'
import type { Db } from '@despatch/store/database'
import { findRecordSet, type RecordSet } from '@despatch/store/record-set/record-sets'
import type { Moved } from '@despatch/store/record-set/transitions'

/** Returns a record set. Throws a Problem if there is none, or if operators do not import sets of its kind. */
export async function requireRecordSet(db: Db, id: number): Promise<RecordSet> {
  const set = await findRecordSet(db, id)
  if (!set || set.kind === 'uat-driver') throw recordSetNotFound(id)
  return set
}

export function recordSetNotFound(id: number): Problem {
  return new Problem('record-set-not-found', `There is no record set with the id ${id}`)
}

/** Returns whether this call moved the set. Throws a Problem if the set cannot be moved. */
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

/** Returns a record set for an answer. Sets of `uat-driver` are in none. */
export function describeRecordSet(set: RecordSet) {
  return {
    ...set,
    recordSetId: String(set.id),
    kind: set.kind as RecordKind,
    sourceSha256: set.sourceSha256.toString('hex'),
    publishing:
      set.state === 'PUBLISHING'
        ? set.isBeingPublished
          ? ('under-way' as const)
          : ('broken-off' as const)
        : null,
  }
}
