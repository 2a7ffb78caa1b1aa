export const printFulfilmentPrefix = '/print-fulfilment'

const printRuns = `${printFulfilmentPrefix}/v1/print-runs`

export function manifestPath(batchNumber: string): string {
  return `${printRuns}/${batchNumber}/manifest`
}

export function contentPath(batchNumber: string, documentId: string): string {
  return `${printRuns}/${batchNumber}/documents/${documentId}/content`
}
