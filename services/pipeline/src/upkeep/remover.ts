import { storedKey } from '@despatch/object-store/keys'
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

type RemoverOptions = {
  db: Db
  objects: Pick<ObjectStore, 'head' | 'removeTogether'>
  registry: Registry
  now: () => Date
  patienceMs?: number
}

export type Remover = {
  /**
   * Removes a batch of objects that are marked for deletion and not in use. Rejects soon after the signal aborts: objects
   * that were not deleted yet are then left to other processes.
   */
  pass(closing?: AbortSignal): Promise<'again' | 'idle'>
  /** As `pass`, for all of these objects, and at once. */
  remove(objects: readonly StoredObject[], closing?: AbortSignal): Promise<void>
}

/** Limit for the objects of one batch. A submission that names one of them waits until the batch ends. */
const objectsMax = 250
/** Limit for one request to delete. If it fails, its objects are left alone for the lease. */
const deletedTogetherMax = 125
/** The client of the object store has 50 connections, which letters use as well. */
const headsAtOnceMax = 16
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

  async function removeSome(
    closing: AbortSignal | undefined,
    only?: readonly StoredObject[],
  ): Promise<'again' | 'idle'> {
    const timeLimit = startTimeLimit(patienceMs, closing)
    const { taken, isMore } = await takeObjectsToDelete(db, {
      objectsMax,
      leaseSeconds,
      ...(only && { only }),
    })
    const notBegun = new Set(taken)
    try {
      const unused = await keepUsed(db, taken)
      for (let from = 0; from < unused.length; from += deletedTogetherMax) {
        const together = unused.slice(from, from + deletedTogetherMax)
        await removeTogether(together, { timeLimit, notBegun })
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
    { timeLimit, notBegun }: { timeLimit: TimeLimit; notBegun: Set<TakenObject> },
  ): Promise<void> {
    timeLimit.check()
    const documents = together.filter(({ kind }) => kind === 'document')
    await deleteUnstoredDocuments(
      db,
      documents.map(({ sha256 }) => sha256),
    )
    const { old, fresh, failures } = await sortByAge(together, timeLimit)
    timeLimit.check()
    for (const object of together) notBegun.delete(object)
    await postponeRemovals(db, fresh, { seconds: freshMsMax / 1000 })
    const keys = old.map(storedKey)
    const refused = await objects.removeTogether(keys, { signal: timeLimit.deletion })
    const refusedKeys = new Set(refused.map(({ key }) => key))
    if (refused.some(({ key }) => !keys.includes(key)))
      throw new Error('A refused deletion has no key')
    const gone = old.filter((object) => !refusedKeys.has(storedKey(object)))
    await endRemovals(db, gone)
    for (const { cause } of gone) removed.inc({ cause })
    if (refused[0]) throw new Error(`The object store refused a deletion: ${refused[0].code}`)
    if (failures.length > 0) throw failures[0]
  }

  /** `old`: may be deleted. `fresh`: was stored recently. What is in neither is described in `failures`. */
  async function sortByAge(together: readonly TakenObject[], { signal }: TimeLimit) {
    const [old, fresh, failures]: [TakenObject[], TakenObject[], unknown[]] = [[], [], []]
    const sort = async (object: TakenObject) => {
      const head = await objects.head(storedKey(object), { signal })
      const isFresh = head && now().getTime() - head.changedAt.getTime() < freshMsMax
      ;(isFresh ? fresh : old).push(object)
    }
    for (let from = 0; from < together.length; from += headsAtOnceMax) {
      const ends = await Promise.allSettled(together.slice(from, from + headsAtOnceMax).map(sort))
      failures.push(...ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : [])))
    }
    return { old, fresh, failures }
  }

  return {
    pass: async (closing) => {
      await forgetRemoved(db)
      return removeSome(closing)
    },
    remove: async (chosen, closing) => {
      for (let from = 0; from < chosen.length; from += objectsMax) {
        await removeSome(closing, chosen.slice(from, from + objectsMax))
      }
    },
  }
}

type TimeLimit = {
  /** For calls that change nothing. */
  signal: AbortSignal
  /** For deletions: a process that closes lets them end. */
  deletion: AbortSignal
  check(): void
}

/** `check` throws once the time is over, even if the timer of `signal` is late, and once the process closes. */
function startTimeLimit(ms: number, closing: AbortSignal = AbortSignal.any([])): TimeLimit {
  const endsAtMs = performance.now() + ms
  const deletion = AbortSignal.timeout(ms)
  return {
    signal: AbortSignal.any([deletion, closing]),
    deletion,
    check: () => {
      closing.throwIfAborted()
      if (performance.now() >= endsAtMs) {
        throw new Error('The object store is too slow to remove objects')
      }
    },
  }
}
