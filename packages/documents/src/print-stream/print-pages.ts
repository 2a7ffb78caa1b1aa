import { PDFArray, PDFDict, type PDFDocument, PDFName, type PDFObject, PDFRef } from 'pdf-lib'
import { removeScreenOnly } from '../pdf-pages.ts'
import { readPageTree } from '../pdf-safety/page-tree.ts'
import { pdfLimits } from '../pdf-safety/pdf-limits.ts'

/** Entries that a page may inherit from the branches of the page tree above it. */
const inherited = ['Resources', 'MediaBox', 'CropBox', 'Rotate'].map((key) => PDFName.of(key))
const kept = [
  ...['MediaBox', 'CropBox', 'BleedBox', 'TrimBox', 'ArtBox', 'Rotate', 'UserUnit'],
].map((key) => PDFName.of(key))
/** Entries that are written again or would include other pages. */
const dropped = ['Parent', 'SeparationInfo', 'Type'].map((key) => PDFName.of(key))

export type PrintPage = {
  node: PDFDict
  /** Undefined if the page is a direct object in its tree. */
  ref: PDFRef | undefined
}

/**
 * Returns the pages of a document as they print. Each has its inherited entries itself and nothing that leads to other
 * pages. An entry that several pages inherit becomes one object. Changes the document. Throws if its page tree is
 * invalid.
 */
export function listPrintPages(document: PDFDocument): PrintPage[] {
  const refs = new Map(
    document.context.enumerateIndirectObjects().map(([ref, object]) => [object, ref]),
  )
  const pages = readPageTree(document, pdfLimits).map((node) => ({ node, ref: refs.get(node) }))
  for (const { node } of pages) pushDown(node)
  for (const { node } of pages) {
    removeScreenOnly(node)
    for (const key of dropped) node.delete(key)
  }
  return pages
}

/** An annotation belongs to one page, so two equal ones stay separate. */
export function annotationRefs({ node }: PrintPage): PDFRef[] {
  const annotations = node.lookup(PDFName.of('Annots'))
  if (!(annotations instanceof PDFArray)) return []
  return annotations.asArray().filter((annotation) => annotation instanceof PDFRef)
}

/** Returns the entries that make an empty page equal to this page in size and orientation. */
export function sizeOf({ node }: PrintPage): [PDFName, PDFObject][] {
  return node.entries().filter(([key]) => kept.includes(key))
}

function pushDown(page: PDFDict): void {
  for (const key of inherited) {
    let node: PDFObject | undefined = page
    while (node instanceof PDFDict && !node.has(key)) node = node.lookup(PDFName.of('Parent'))
    if (!(node instanceof PDFDict) || node === page) continue
    const value = node.get(key)!
    const shared = value instanceof PDFRef ? value : page.context.register(value)
    node.set(key, shared)
    page.set(key, shared)
  }
}
