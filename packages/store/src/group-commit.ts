import { setImmediate as nextTurn } from 'node:timers/promises'

export type GroupCommitOptions<Item, Result> = {
  /** Commits the items together and answers in their order. */
  commit: (items: readonly Item[]) => Promise<readonly Result[]>
  itemsMax: number
  /** How many commits may be under way at once. */
  commitsMax: number
}

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Lets concurrent callers share a commit: an item is committed in the same turn of the event loop when a commit is
 * free, with all others of that turn, and otherwise together with all that arrive meanwhile. Nobody waits for company.
 * When a shared commit fails and one item can be at fault, each is tried alone, so that it is not another's fault too. Any
 * other failure is reported to all at once: `commit` has found out what was committed before it throws.
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
    // What was read from the network together arrives one by one in this turn.
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
 * SQLSTATE classes of a value that a row cannot have (22), of a rule that it breaks (23), and of the rules of our own
 * triggers (DS).
 */
function isOfOneItem(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(22|23|DS)...$/.test(String(error.code))
}
