import { type Finding, isRefused } from '@despatch/domain/preflight/finding'
import type { PDFDocument } from 'pdf-lib'
import type { DocumentFile } from './document-request.ts'
import { inspectImage } from './images/inspect-image.ts'
import { openImage } from './images/open-image.ts'
import { inspectPdf } from './pdf-safety/inspect-pdf.ts'

/** The findings of a file by itself. `pages` is present if nothing refuses the file. */
export type InspectedContent = {
  findings: readonly Finding[]
  pages?: number
  /** Present for a PDF that nothing refuses. */
  document?: PDFDocument
}

/** Inspects a file before any other work with it (P201 to P302). Never throws because of the file's content. */
export async function inspectContent(file: DocumentFile): Promise<InspectedContent> {
  const { findings, ...inside } = await inspect(file)
  const named = findings.map((finding) => ofFile(file.fileId, finding))
  return isRefused(named) ? { findings: named } : { findings: named, ...inside }
}

async function inspect({ bytes, mediaType }: DocumentFile): Promise<InspectedContent> {
  if (mediaType === 'application/pdf') return inspectPdf(bytes)
  const findings = await inspectImage(bytes, mediaType)
  if (isRefused(findings)) return { findings }
  return { findings, pages: (await openImage(bytes, mediaType)).length }
}

/** Adds the file to a finding that was made from its bytes alone. */
export function ofFile(fileId: string, finding: Finding): Finding {
  return { ...finding, fileId, detail: `File ${fileId}: ${finding.detail}` }
}
