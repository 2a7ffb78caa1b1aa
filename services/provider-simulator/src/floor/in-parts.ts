/** Splits a list into parts of at most `itemsMax` items, in order. */
export function inParts<Item>(items: readonly Item[], itemsMax: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / itemsMax) }, (_, part) =>
    items.slice(part * itemsMax, (part + 1) * itemsMax),
  )
}
