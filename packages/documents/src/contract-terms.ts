import type { Finding } from '@despatch/domain/preflight/finding'
import type { DocumentFile } from './document-request.ts'

/** P402: a letter has no more pages than its contract allows. */
export function judgePagesMax(pages: number, pagesMax: number): Finding[] {
  if (pages <= pagesMax) return []
  return [
    {
      rule: 'pages-max',
      severity: 'refusal',
      measured: { unit: 'pages', value: pages },
      allowed: { unit: 'pages', max: pagesMax },
      detail: `The document has ${pages} pages; at most ${pagesMax} are allowed`,
    },
  ]
}

/** P408: the files must be what is printed as supplied, which is one PDF under the key that the contract names. */
export function judgeSuppliedFile(
  files: readonly Pick<DocumentFile, 'fileId' | 'mediaType'>[],
  suppliedFileKey: string,
): Finding[] {
  const [file, ...others] = files
  if (!file || others.length > 0 || file.fileId !== suppliedFileKey) {
    return [refusal(`Exactly one file is printed, and it must be ${suppliedFileKey}`)]
  }
  if (file.mediaType === 'application/pdf') return []
  return [{ ...refusal(`File ${file.fileId} must be a PDF file`), fileId: file.fileId }]
}

function refusal(detail: string): Finding {
  return { rule: 'supplied-file', severity: 'refusal', detail }
}
