import type { Finding } from '@despatch/domain/preflight/finding'
import { type PDFDict, type PDFDocument, PDFName, PDFObjectCopier, PDFPage } from 'pdf-lib'
import { closeLayers } from './as-printed/close-layers.ts'
import { fitPaper } from './as-printed/fit-paper.ts'
import { flattenAnnotations } from './as-printed/flatten-annotations.ts'
import { copyLayers } from './as-printed/layers.ts'

/** Entries of a page for screens only. Through links, a copy would include other whole pages. */
const screenOnly = ['AA', 'B', 'Metadata', 'PieceInfo', 'StructParents', 'Thumb']

/**
 * Adds the pages of a PDF as they print: content, size, rotation, annotations as content, and layers. Returns the
 * refusals of what cannot be printed (P201, P211).
 */
export async function addPdfPages(document: PDFDocument, source: PDFDocument): Promise<Finding[]> {
  const { findings } = await flattenAnnotations(source)
  const nodes = source.getPages().map(({ node }) => node)
  closeLayers(source, nodes)
  const copier = PDFObjectCopier.for(source.context, document.context)
  const unreadable: Finding[] = []
  for (const [index, node] of nodes.entries()) {
    if (!fitPaper(node)) unreadable.push(unreadablePage(index + 1))
    removeScreenOnly(node)
    const copy = copier.copy(node)
    document.addPage(PDFPage.of(copy, document.context.register(copy), document))
  }
  copyLayers(document, source, copier)
  return [...findings.filter(({ severity }) => severity === 'refusal'), ...unreadable]
}

/** Removes from a page everything for screens only, and everything that leads to other pages. */
export function removeScreenOnly(page: PDFDict): void {
  for (const key of screenOnly) page.delete(PDFName.of(key))
}

function unreadablePage(page: number): Finding {
  const detail = `Page ${page} of the PDF has content that is damaged and cannot be read.`
  return { rule: 'pdf-damaged', severity: 'refusal', page, detail }
}
