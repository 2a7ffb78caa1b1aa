import { type Finding, isRefused } from '@despatch/domain/preflight/finding'
import type { PDFDocument } from 'pdf-lib'
import type { DocumentFile } from './document-request.ts'
import { inspectImage } from './images/inspect-image.ts'
import { openImage } from './images/open-image.ts'
import { type Found, findOnce, hashOf } from './known-findings.ts'
import { inspectPdf, loadPdf, type PdfInspection } from './pdf-safety/inspect-pdf.ts'

/** The findings of a file by itself. `pages` is present if nothing refuses the file. */
export type InspectedContent = {
  findings: readonly Finding[]
  pages?: number
  /** Whether a PDF has objects that later ones replace. */
  isRevised?: boolean
  /** The hash under which findings about the file are remembered. */
  hash: string
  /** Opens the PDF, once. Present for a PDF that no rule refuses. */
  openDocument?: () => Promise<PDFDocument>
}

/**
 * Inspects a file before any other work with it (P201 to P302). A file that this thread has inspected is not inspected
 * again. Never throws because of the file's content.
 */
export async function inspectContent(file: DocumentFile): Promise<InspectedContent> {
  const { fileId, mediaType, bytes } = file
  const hash = hashOf(bytes)
  let document: PDFDocument | undefined
  const found = await findOnce(['content', mediaType, hash], fileId, async (named) => {
    const { findings, ...inside } = await inspect(file)
    document = inside.document
    return {
      findings: findings.map((finding) => ofFile(named, finding)),
      ...(inside.pages !== undefined && !isRefused(findings) && { pages: inside.pages }),
      ...(inside.isRevised !== undefined && { isRevised: inside.isRevised }),
    }
  })
  if (found.pages === undefined || mediaType !== 'application/pdf') return { ...found, hash }
  const openDocument = async () => {
    document ??= await loadPdf(bytes)
    return document
  }
  return { ...found, hash, openDocument }
}

async function inspect({
  bytes,
  mediaType,
}: DocumentFile): Promise<Found & Partial<PdfInspection>> {
  if (mediaType === 'application/pdf') return inspectPdf(bytes)
  const findings = await inspectImage(bytes, mediaType)
  if (isRefused(findings)) return { findings }
  return { findings, pages: (await openImage(bytes, mediaType)).length }
}

/** Adds the file to a finding that was made from its bytes alone. */
export function ofFile(fileId: string, finding: Finding): Finding {
  return { ...finding, fileId, detail: `File ${fileId}: ${finding.detail}` }
}
