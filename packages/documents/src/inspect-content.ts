import { type Finding, isRefused } from '@despatch/domain/preflight/finding'
import type { PDFDocument } from 'pdf-lib'
import type { DocumentFile } from './document-request.ts'
import { inspectImage } from './images/inspect-image.ts'
import { openImage } from './images/open-image.ts'
import { inspectPdf } from './pdf-safety/inspect-pdf.ts'

/** What was found in a file as such, and its pages, which are known when nothing refuses it. */
export type InspectedContent = {
  findings: readonly Finding[]
  pages?: number
  /** Of a PDF that nothing refuses. */
  document?: PDFDocument
}

/** Looks into a file before anything else is done with it (P201 to P302). Never throws for what is in the file. */
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

/** Names the file in a finding of somebody who knows only its bytes. */
export function ofFile(fileId: string, finding: Finding): Finding {
  return { ...finding, fileId, detail: `File ${fileId}: ${finding.detail}` }
}
