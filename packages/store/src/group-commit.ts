import { setImmediate as nextTurn } from 'node:timers/promises'

type GroupCommitOptions<Item, Result> = {
  /** Commits the items together. Returns the results in the order of the items. */
  commit: (items: readonly Item[]) => Promise<readonly Result[]>
  itemsMax: number
  /** The maximum number of concurrent commits. */
  commitsMax: number
}

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Lets concurrent callers share a commit. If a commit slot is free, an item is committed in the same turn of the event
 * loop, with all others of that turn. Otherwise it is committed with all items that arrive in the meantime. No item
 * waits for others to arrive. If a shared commit fails and a single item can be the cause, each is retried alone, so
 * that it does not fail the others. Any other failure is reported to all callers: `commit` has determined what was
 * committed before it throws.
 */
export function createGroupCommit<Item, Result>({
  commit,
  itemsMax,
  commitsMax,
}: GroupCommitOptions<Item, Result>): (item: Item) => Promise<Result> {
  const queue: Waiting<Item, Result>[] = []
  let underWay = 0

  async function commitWaiting(): Promise<void> {
    underWay += 1
    // Requests read from the network together arrive one by one in this turn.
    await nextTurn()
    while (queue.length > 0) {
      await commitGroup(queue.splice(0, itemsMax))
      await nextTurn()
    }
    underWay -= 1
  }

  async function commitGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await commit(group.map(({ item }) => item))
      group.forEach(({ resolve }, index) => {
        resolve(results[index]!)
      })
    } catch (error) {
      if (group.length > 1 && isOfOneItem(error)) {
        for (const waiting of group) await commitGroup([waiting])
      } else {
        for (const { reject } of group) reject(error)
      }
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      if (underWay < commitsMax) void commitWaiting()
    })
}

/**
 * Whether the items are to be committed one by one. SQLSTATE classes, where a single item can have caused the error: 22
 * for a value that a row cannot have, 23 for a constraint that it violates, DS for the rules of our own triggers. Also
 * deadlocks and conflicts (40P01, 40001), because a single item waits for nobody in a circle.
 */
function isOfOneItem(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code)
  return ['22', '23', 'DS'].includes(code.slice(0, 2)) || ['40P01', '40001'].includes(code)
}
