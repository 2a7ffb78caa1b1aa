import type { TakenCallback } from '@despatch/store/callback/lease'

/** Batches that are to be deleted, and their calls under way, which are to join the next batch. */
export type EndedBatches = { batches: readonly string[]; underWay: readonly TakenCallback[] }

/** The calls that this process has under way, by batch. */
export type CallsUnderWay = {
  count(): number
  /** The number of calls of each consumer. */
  readonly ofConsumers: ReadonlyMap<string, number>
  begin(callback: TakenCallback): void
  /**
   * Notes the end of a call. `isRecorded`: its outcome is written, or another process has taken the callback. Otherwise its
   * batch is left to expire, and then the call counts as interrupted.
   */
  end(callback: TakenCallback, isRecorded: boolean): void
  /** Returns the batches that are to be deleted, until `replaced` says that they are. */
  ended(): EndedBatches
  /** Notes that these batches are deleted. Their calls that were under way have joined `batch`. */
  replaced(ended: EndedBatches, batch: string | undefined): void
}

type Batch = { size: number; callbacks: Set<TakenCallback> }

/** The entries of ended calls cost each pass some time, but so does a row for each call. */
const longBatch = 4

export function createCallsUnderWay(): CallsUnderWay {
  const batches = new Map<string, Batch>()
  const batchOf = new Map<TakenCallback, string>()
  const ofConsumers = new Map<string, number>()
  const unrecorded = new WeakSet<TakenCallback>()

  function add(callback: TakenCallback, id: string): void {
    const batch = batches.get(id) ?? { size: 0, callbacks: new Set() }
    batch.size += 1
    batch.callbacks.add(callback)
    batches.set(id, batch)
    batchOf.set(callback, id)
  }

  return {
    ofConsumers,
    count: () => batchOf.size,

    begin: (callback) => {
      add(callback, callback.batch)
      ofConsumers.set(callback.consumerId, (ofConsumers.get(callback.consumerId) ?? 0) + 1)
    },

    end: (callback, isRecorded) => {
      const id = batchOf.get(callback)!
      batchOf.delete(callback)
      const calls = ofConsumers.get(callback.consumerId)! - 1
      if (calls > 0) ofConsumers.set(callback.consumerId, calls)
      else ofConsumers.delete(callback.consumerId)
      if (isRecorded) {
        batches.get(id)?.callbacks.delete(callback)
        return
      }
      unrecorded.add(callback)
      batches.delete(id)
    },

    ended: () => {
      const ended = [...batches].filter(
        ([, { size, callbacks }]) =>
          callbacks.size === 0 || (size >= longBatch && callbacks.size * 2 <= size),
      )
      return {
        batches: ended.map(([id]) => id),
        underWay: ended.flatMap(([, { callbacks }]) => [...callbacks]),
      }
    },

    replaced: (ended, batch) => {
      for (const id of ended.batches) batches.delete(id)
      if (batch === undefined) return
      for (const callback of ended.underWay) if (batchOf.has(callback)) add(callback, batch)
      if (ended.underWay.some((callback) => unrecorded.has(callback))) batches.delete(batch)
    },
  }
}
