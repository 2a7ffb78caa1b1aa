import { commentOf } from '@despatch/domain/preflight/finding'
import type { PDFDocument } from 'pdf-lib'
import { inspectPdf } from './pdf-safety/inspect-pdf.ts'

type OpenedPdf =
  | { kind: 'open'; document: PDFDocument; pages: number }
  | { kind: 'unsound'; reason: string }

/** Opens a PDF that is safe to open and print. Otherwise returns the first reason that refuses it. Never throws. */
export async function openPdf(bytes: Uint8Array): Promise<OpenedPdf> {
  const { findings, pages, document } = await inspectPdf(bytes)
  return document
    ? { kind: 'open', document, pages }
    : { kind: 'unsound', reason: commentOf(findings) ?? 'The PDF cannot be printed.' }
}
