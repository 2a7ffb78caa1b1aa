/**
 * Works on the items, on so many at once. After a failure no further item is begun; it is thrown when those under way
 * have ended, so that nothing goes on behind the caller's back.
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
