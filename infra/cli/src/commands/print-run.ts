import { wrongUsage } from '../failure.ts'

/** Returns the choice of the documents that a command names, or of all. Throws a Failure unless it is exactly one. */
export function chooseDocuments(documentIds: string[], all?: true) {
  if (documentIds.length > 0 === (all === true)) {
    throw wrongUsage('name the documents, or give --all')
  }
  return all ? { all } : { documentIds }
}

/** Returns the path of a print run below /administration/v1. */
export function printRunPath(batchNumber: string): string {
  return `/print-runs/${encodeURIComponent(batchNumber)}`
}
