import { setImmediate as nextTurn } from 'node:timers/promises'

export type GroupLookupOptions<Value> = {
  /** Finds all that is there under the keys, by key. */
  find: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>
  keysMax: number
  /** How many lookups may be under way at once. */
  lookupsMax: number
}

type Waiting<Value> = {
  key: string
  resolve: (value: Value | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Lets concurrent callers share a lookup: a key is looked up in the same turn of the event loop when a lookup is free,
 * with all others of that turn, and otherwise together with all that arrive meanwhile. Nobody waits for company, and
 * what is found was read after it was asked for. When a lookup fails, it fails for all who share it: reading has no
 * faults of one caller's own, and trying each alone would hold the next up.
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
    // What was read from the network together arrives one by one in this turn.
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
