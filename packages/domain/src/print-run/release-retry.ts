const pageDocumentsMax = 2_500
const pageDocumentsMin = 100
const firstRetrySeconds = 10
const retrySecondsMax = 600

/** Documents numbered by one transaction. Each failure halves them, so that work that is too large is not repeated as it was. */
export function releasePageDocuments(failures: number): number {
  return Math.max(pageDocumentsMin, Math.floor(pageDocumentsMax / 2 ** failures))
}

/** Seconds until a print run whose release failed so often, the last time included, is tried again. */
export function releaseRetrySeconds(failures: number): number {
  return Math.min(firstRetrySeconds * 2 ** (failures - 1), retrySecondsMax)
}
