import { commentOf } from '@despatch/domain/preflight/finding'
import type { PDFDocument, PDFPage } from 'pdf-lib'
import { inspectPdf } from './pdf-safety/inspect-pdf.ts'

export type OpenedPdf =
  | { kind: 'open'; document: PDFDocument; pages: number }
  | { kind: 'unsound'; reason: string }

/** Opens a PDF that is safe to open and print. Otherwise returns the first reason that refuses it. Never throws. */
export async function openPdf(bytes: Uint8Array): Promise<OpenedPdf> {
  const { findings, pages, document } = await inspectPdf(bytes)
  return document
    ? { kind: 'open', document, pages }
    : { kind: 'unsound', reason: commentOf(findings) ?? 'The PDF cannot be printed.' }
}

/** Returns the pages of a PDF as pdf-lib finds them, or undefined if it cannot read them. */
export async function readSourcePages(
  pdf: Uint8Array,
  document?: PDFDocument | undefined,
): Promise<readonly PDFPage[] | undefined> {
  const source = document ?? (await inspectPdf(pdf)).document
  try {
    return source?.getPages()
  } catch {
    return undefined
  }
}
