/** Returns the path of a print run below /administration/v1. */
export function printRunPath(batchNumber: string): string {
  return `/print-runs/${encodeURIComponent(batchNumber)}`
}

export function countDocuments(count: number): string {
  return count === 1 ? '1 document' : `${count} documents`
}
