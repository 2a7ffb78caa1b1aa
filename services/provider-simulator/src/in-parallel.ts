/**
 * Works on the items, at most `atOnceMax` at once. After a failure it starts no further item. It throws the first
 * failure once the items under way have ended, so that no work continues after it returns.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnceMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const failures: unknown[] = []
  const workOn = async () => {
    for (const item of waiting) {
      if (failures.length > 0) return
      await work(item).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnceMax }, workOn))
  if (failures.length > 0) throw failures[0]
}
