import { setImmediate as nextTurn } from 'node:timers/promises'

type GroupLookupOptions<Value> = {
  /** Returns the values that exist for the keys, by key. */
  find: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>
  keysMax: number
  /** The maximum number of concurrent lookups. */
  lookupsMax: number
}

type Waiting<Value> = {
  key: string
  resolve: (value: Value | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Lets concurrent callers share a lookup. If a lookup slot is free, a key is looked up in the same turn of the event
 * loop, with all others of that turn. Otherwise it is looked up with all keys that arrive in the meantime. No key waits
 * for others to arrive, and every value is read after the caller asked for it. A failed lookup fails for all callers
 * that share it: no single key can cause the failure, and retrying each alone would delay the next lookup.
 */
export function createGroupLookup<Value>({
  find,
  keysMax,
  lookupsMax,
}: GroupLookupOptions<Value>): (key: string) => Promise<Value | undefined> {
  const queue: Waiting<Value>[] = []
  let underWay = 0

  async function lookUpWaiting(): Promise<void> {
    underWay += 1
    // Requests read from the network together arrive one by one in this turn.
    await nextTurn()
    while (queue.length > 0) await lookUp(queue.splice(0, keysMax))
    underWay -= 1
  }

  async function lookUp(group: readonly Waiting<Value>[]): Promise<void> {
    try {
      const found = await find(group.map(({ key }) => key))
      for (const { key, resolve } of group) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      queue.push({ key, resolve, reject })
      if (underWay < lookupsMax) void lookUpWaiting()
    })
}
