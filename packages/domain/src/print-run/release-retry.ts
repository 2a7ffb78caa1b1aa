const pageDocumentsMax = 2_500
const pageDocumentsMin = 100
const firstRetrySeconds = 10
const retrySecondsMax = 600

/**
 * Returns how many documents one transaction numbers. Each failure halves the number, so that too large a transaction
 * is not repeated unchanged.
 */
export function releasePageDocuments(failures: number): number {
  return Math.max(pageDocumentsMin, Math.floor(pageDocumentsMax / 2 ** failures))
}

/** Returns the seconds until the next try of a release that has failed this many times, including the last. */
export function releaseRetrySeconds(failures: number): number {
  return Math.min(firstRetrySeconds * 2 ** (failures - 1), retrySecondsMax)
}
