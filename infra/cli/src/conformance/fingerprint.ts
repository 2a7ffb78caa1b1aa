/** Returns the same text for the same content, whatever the order of members. Lists keep their order. */
export function fingerprintOf(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'undefined'
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}
