type Pages = readonly Uint8Array[]

/** Returns the pages that differ, from 1. A page that only one of the letters has differs. */
export function differingPages({ before, after }: { before: Pages; after: Pages }): number[] {
  const count = Math.max(before.length, after.length)
  return Array.from({ length: count }, (_, index) => index + 1).filter((page) => {
    const [one, other] = [before[page - 1], after[page - 1]]
    return !one || !other || !isEqual(one, other)
  })
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}
