/**
 * Reprints of a print run that need no second person: so many, or this percentage of its documents rounded up, whichever
 * is more.
 */
export function freeReprintsMax({
  reprintsFreeMax,
  reprintsFreePercent,
  documentCount,
}: {
  reprintsFreeMax: number
  reprintsFreePercent: number
  documentCount: number
}): number {
  // binary fractions would make 1.1 % of 1,000 a little more than 11
  const part = Number(((reprintsFreePercent * documentCount) / 100).toFixed(6))
  return Math.max(reprintsFreeMax, Math.ceil(part))
}
