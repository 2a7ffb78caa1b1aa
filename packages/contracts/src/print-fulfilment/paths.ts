export const printFulfilmentPrefix = '/print-fulfilment'

const printRuns = `${printFulfilmentPrefix}/v1/print-runs`

export function manifestPath(batchNumber: string): string {
  return `${printRuns}/${batchNumber}/manifest`
}

export function documentsZipPath(batchNumber: string, fulfilmentJobId: string): string {
  return `${printRuns}/${batchNumber}/fulfilment-jobs/${fulfilmentJobId}/documents.zip`
}

export function printStreamPath(batchNumber: string, fulfilmentJobId: string): string {
  return `${printRuns}/${batchNumber}/fulfilment-jobs/${fulfilmentJobId}/print-stream.pdf`
}

export function templateDataPath(batchNumber: string, fulfilmentJobId: string): string {
  return `${printRuns}/${batchNumber}/fulfilment-jobs/${fulfilmentJobId}/template-data`
}

export function contentPath(batchNumber: string, documentId: string): string {
  return `${printRuns}/${batchNumber}/documents/${documentId}/content`
}
