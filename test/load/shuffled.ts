/** Returns the same items in random order. Each order is equally likely. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const order = [...items]
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    const item = order[last]!
    order[last] = order[other]!
    order[other] = item
  }
  return order
}
