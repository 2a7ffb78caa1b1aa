import { documentKey, fileKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { deleteUnstoredDocuments } from '@despatch/store/print-job/unstored-documents'
import { deletionCauses, type StoredObject } from '@despatch/store/purge/mark-for-deletion'
import { Counter, type Registry } from '@despatch/telemetry/metrics'
import {
  endLeases,
  endRemovals,
  forgetRemoved,
  keepUsed,
  postponeRemovals,
  type TakenObject,
  takeObjectsToDelete,
} from './removal-leases.ts'

export type RemoverOptions = {
  db: Db
  objects: Pick<ObjectStore, 'head' | 'remove'>
  registry: Registry
  now: () => Date
  patienceMs?: number
}

export type Remover = {
  /** Removes a batch of objects that are marked for deletion and not in use. */
  pass(): Promise<'again' | 'idle'>
  /** Removes these objects at once, if they are marked for deletion and not in use. */
  remove(objects: readonly StoredObject[]): Promise<void>
}

const objectsMax = 100
const atOnceMax = 8
/** After this time, another process takes over the objects of a process that died. */
const leaseSeconds = 120
/** Limit for calls to the object store. A removal after the lease could delete bytes that were stored again. */
const timeLimitMsDefault = 60_000
/**
 * Bytes stored this recently are checked again later. Correctness does not depend on it: it protects recent letters if
 * two databases share one bucket by mistake.
 */
const freshMsMax = 60 * 60 * 1000

/**
 * Removes files and documents that are marked for deletion and no longer in use. It first bars the bytes, then waits
 * for each transaction that was about to name them, then removes those that are still not in use:
 * docs/decisions/0015-when-bytes-may-be-removed.md.
 */
export function createRemover({
  db,
  objects,
  registry,
  now,
  patienceMs = timeLimitMsDefault,
}: RemoverOptions): Remover {
  const removed = new Counter({
    name: 'objects_removed_total',
    help: 'Files and documents removed from the object store, by the reason why nothing used them any longer',
    labelNames: ['cause'],
    registers: [registry],
  })
  for (const cause of deletionCauses) removed.inc({ cause }, 0)

  async function removeSome(only?: readonly StoredObject[]): Promise<'again' | 'idle'> {
    const timeLimit = startTimeLimit(patienceMs)
    const { taken, isMore } = await takeObjectsToDelete(db, {
      ...{ objectsMax, leaseSeconds },
      ...(only && { only }),
    })
    const notBegun = new Set(taken)
    try {
      const unused = await keepUsed(db, taken)
      for (let from = 0; from < unused.length; from += atOnceMax) {
        timeLimit.check()
        const together = unused.slice(from, from + atOnceMax)
        for (const object of together) notBegun.delete(object)
        await removeTogether(together, timeLimit)
      }
    } catch (error) {
      await endLeases(db, [...notBegun])
      throw error
    }
    return isMore ? 'again' : 'idle'
  }

  /**
   * An object whose removal failed is left alone until the lease expires, because the removal may still take effect.
   */
  async function removeTogether(
    together: readonly TakenObject[],
    timeLimit: TimeLimit,
  ): Promise<void> {
    const documents = together.filter(({ kind }) => kind === 'document')
    await deleteUnstoredDocuments(
      db,
      documents.map(({ sha256 }) => sha256),
    )
    const ends = await Promise.allSettled(
      together.map((object) => removeUnlessFresh(object, timeLimit)),
    )
    const endedAs = (outcome: 'gone' | 'fresh') =>
      together.filter((_, index) => {
        const end = ends[index]!
        return end.status === 'fulfilled' && end.value === outcome
      })
    await postponeRemovals(db, endedAs('fresh'), { seconds: freshMsMax / 1000 })
    const gone = endedAs('gone')
    await endRemovals(db, gone)
    for (const { cause } of gone) removed.inc({ cause })
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed) throw failed.reason
  }

  async function removeUnlessFresh(
    object: TakenObject,
    { signal, check }: TimeLimit,
  ): Promise<'gone' | 'fresh'> {
    const key = keyOf(object)
    const head = await objects.head(key, { signal })
    if (head && now().getTime() - head.changedAt.getTime() < freshMsMax) return 'fresh'
    check()
    await objects.remove(key, { signal })
    return 'gone'
  }

  return {
    pass: async () => {
      await forgetRemoved(db)
      return removeSome()
    },
    remove: async (chosen) => {
      for (let from = 0; from < chosen.length; from += objectsMax) {
        await removeSome(chosen.slice(from, from + objectsMax))
      }
    },
  }
}

type TimeLimit = { signal: AbortSignal; check(): void }

/** `check` throws once the time is over, even if the timer of `signal` is late. */
function startTimeLimit(ms: number): TimeLimit {
  const endsAtMs = performance.now() + ms
  return {
    signal: AbortSignal.timeout(ms),
    check: () => {
      if (performance.now() >= endsAtMs) {
        throw new Error('The object store is too slow to remove objects')
      }
    },
  }
}

function keyOf({ kind, sha256 }: Pick<TakenObject, 'kind' | 'sha256'>): string {
  return kind === 'file' ? fileKey(sha256) : documentKey(sha256)
}
