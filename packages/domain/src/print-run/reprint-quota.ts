/**
 * Returns how many reprints of a print run require no second person: this number, or this percentage of its documents
 * rounded up, whichever is larger.
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
  // binary fractions would make 1.1 % of 1,000 slightly more than 11
  const part = Number(((reprintsFreePercent * documentCount) / 100).toFixed(6))
  return Math.max(reprintsFreeMax, Math.ceil(part))
}
