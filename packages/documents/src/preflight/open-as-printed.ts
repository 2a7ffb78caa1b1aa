import type { Finding } from '@despatch/domain/preflight/finding'
import type { PDFDocument, PDFPage } from 'pdf-lib'
import { type Flattened, flattenAnnotations } from '../as-printed/flatten-annotations.ts'
import { inspectPdf } from '../pdf-safety/inspect-pdf.ts'
import { type OpenPages, openPages, type Unreadable } from '../render/open-pages.ts'
import { savePdf } from '../save-pdf.ts'

/** A PDF in the renderer as it prints, with the same pages as pdf-lib finds them. */
type AsPrinted = {
  pages: OpenPages | Unreadable
  /** Undefined if pdf-lib cannot read the pages. */
  sources: readonly PDFPage[] | undefined
  /** What its annotations and fields become. */
  flattened: Flattened | undefined
}

/**
 * Opens a PDF to examine its pages, with its annotations and fields drawn into their content. Changes the document that
 * the caller has opened. Never throws because of the file's content.
 */
export async function openAsPrinted(
  pdf: Uint8Array,
  document?: PDFDocument | undefined,
): Promise<AsPrinted> {
  const source = document ?? (await inspectPdf(pdf)).document
  try {
    const flattened = source && (await flattenAnnotations(source))
    const shown = source && flattened?.isChanged ? await savePdf(source) : pdf
    return { pages: await openPages(shown), sources: source?.getPages(), flattened }
  } catch {
    return { pages: await openPages(pdf), sources: undefined, flattened: undefined }
  }
}

/** Adds to the findings about annotations the one about a file whose fields the press would have to draw. */
export function findingsOfSupplied({ findings, drawnPages }: Flattened): Finding[] {
  return [
    ...findings,
    ...drawnPages.map((page) => ({
      rule: 'field-undrawn' as const,
      severity: 'refusal' as const,
      page,
      detail: `Page ${page} of the PDF has a form field whose text is not drawn in the file, which is printed as it is; print the file to a new PDF and send that.`,
    })),
  ]
}
