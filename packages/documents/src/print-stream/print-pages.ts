import { PDFDict, type PDFDocument, PDFName, type PDFObject, PDFRef } from 'pdf-lib'
import { fitPaper } from '../as-printed/fit-paper.ts'
import { flattenAnnotations } from '../as-printed/flatten-annotations.ts'
import { removeScreenOnly } from '../pdf-pages.ts'
import { readPageTree } from '../pdf-safety/page-tree.ts'
import { pdfLimits } from '../pdf-safety/pdf-limits.ts'

/** Entries that a page may inherit from the branches of the page tree above it. */
const inherited = ['Resources', 'MediaBox', 'CropBox', 'Rotate'].map((key) => PDFName.of(key))
const kept = ['MediaBox', 'CropBox', 'BleedBox', 'TrimBox', 'ArtBox', 'Rotate'].map((key) =>
  PDFName.of(key),
)
/** Entries that are written again or would include other pages. */
const dropped = ['Parent', 'SeparationInfo', 'Type'].map((key) => PDFName.of(key))

export type PrintPage = {
  node: PDFDict
  /** Undefined if the page is a direct object in its tree. */
  ref: PDFRef | undefined
}

/**
 * Returns the pages of a document as they print. Each has its annotations as content, its inherited entries itself and
 * nothing that leads to other pages. An entry that several pages inherit becomes one object. Changes the document.
 * Throws if its page tree is invalid, or a page cannot be printed as it is shown.
 */
export async function listPrintPages(document: PDFDocument): Promise<PrintPage[]> {
  const refs = new Map(
    document.context.enumerateIndirectObjects().map(([ref, object]) => [object, ref]),
  )
  const nodes = readPageTree(document, pdfLimits)
  const pages = nodes.map((node) => ({ node, ref: refs.get(node) }))
  await flattenAnnotations(document, nodes)
  for (const node of nodes) {
    if (!fitPaper(node)) throw new Error('The content of a page cannot be read')
    pushDown(node)
  }
  for (const node of nodes) {
    removeScreenOnly(node)
    for (const key of dropped) node.delete(key)
  }
  return pages
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
