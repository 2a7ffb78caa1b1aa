type Kind = 'lines' | 'bars' | 'stack'
type Range = { min?: number | null | undefined; max?: number | null | undefined }

/** Returns the range of positions that a plot shows unless a reader has zoomed in. Bars need room at both ends. */
export function wholeRange(kind: Kind, min: number, max: number): [number, number] {
  const room = kind === 'lines' ? 0 : 0.5
  return [min - room, max + room]
}

/**
 * Returns the range that is drawn, for the range that the plot library suggests. It widens that of a single position,
 * which cannot be zoomed.
 */
export function drawnRange(
  kind: Kind,
  suggested: readonly [number, number],
  x: ArrayLike<number>,
): [number, number] {
  const [only] = x.length === 1 && kind !== 'lines' ? [x[0]!] : []
  return only === undefined ? wholeRange(kind, ...suggested) : wholeRange(kind, only, only)
}

/** Returns whether a plot of these positions shows only a part of them. A plot that is not drawn yet has no range. */
export function isZoomed(kind: Kind, { min, max }: Range, x: ArrayLike<number>): boolean {
  if (x.length === 0 || min == null || max == null) return false
  const [first, last] = wholeRange(kind, x[0]!, x[x.length - 1]!)
  return min !== first || max !== last
}
