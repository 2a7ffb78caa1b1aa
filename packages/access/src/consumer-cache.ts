import { setTimeout } from 'node:timers/promises'
import type { Consumer } from '@despatch/store/access/consumers'
import { LRUCache } from 'lru-cache'

/**
 * How long a process may use what it has read of a consumer or a usage plan, in milliseconds from before the read
 * began. It is not a setting: a change in one process waits for the caches of all others, so all must use the same
 * value.
 */
export const credentialCacheMs = 1_000
/** Allows for clocks that differ and timers that fire early. */
const marginMs = 250
const consumersMax = 10_000

/** Waits until no process uses what it read before now of a consumer or a usage plan. */
export function untilCachesExpire(): Promise<void> {
  return setTimeout(credentialCacheMs + marginMs)
}

type ConsumerCache = {
  /** Returns the cached consumer, or undefined. */
  recall(id: string): Consumer | undefined
  /** Returns what was read of a consumer within the last second, or undefined. Waits for a read under way. */
  recent(id: string): Promise<Consumer | undefined>
  /** Reads the consumer now. */
  read(id: string): Promise<Consumer | undefined>
}

type ConsumerCacheOptions = {
  find: (id: string) => Promise<Consumer | undefined>
  now: () => Date
  monotonicMs: () => number
}

// The monotonic clock stops while a machine is suspended, and the wall clock may be set back. Both must agree.
type Stamp = { monotonicMs: number; wallMs: number }
type Known = Stamp & { consumer: Consumer }
type Reading = Stamp & { consumer: Promise<Consumer | undefined> }

/**
 * Caches consumers for one second. A consumer whose API key is being changed is not cached. A process that read it
 * before the change was registered forgets it before the key is switched; a process that reads it afterwards reads it
 * again for the next request. So the old key stops working in all processes at the moment of the switch.
 */
export function createConsumerCache({
  find,
  now,
  monotonicMs,
}: ConsumerCacheOptions): ConsumerCache {
  const kept = new LRUCache<string, Known>({ max: consumersMax })
  const readings = new Map<string, Reading>()

  const stamp = (): Stamp => ({ monotonicMs: monotonicMs(), wallMs: now().getTime() })
  const isRecent = (then: Stamp): boolean => {
    const at = stamp()
    return (
      at.monotonicMs - then.monotonicMs < credentialCacheMs &&
      Math.abs(at.wallMs - then.wallMs) < credentialCacheMs
    )
  }

  const recall = (id: string): Consumer | undefined => {
    const known = kept.get(id)
    return known && isRecent(known) ? known.consumer : undefined
  }

  return {
    recall,

    async recent(id) {
      const known = recall(id)
      if (known) return known
      const reading = readings.get(id)
      if (!reading || !isRecent(reading)) return undefined
      // Concurrent requests share one read, but may share only what may be cached.
      const consumer = await reading.consumer
      return consumer?.isApiKeyChanging ? undefined : consumer
    },

    async read(id) {
      const reading: Reading = { ...stamp(), consumer: find(id) }
      readings.set(id, reading)
      try {
        const consumer = await reading.consumer
        if (consumer && !consumer.isApiKeyChanging) kept.set(id, { ...reading, consumer })
        else kept.delete(id)
        return consumer
      } finally {
        if (readings.get(id) === reading) readings.delete(id)
      }
    },
  }
}
