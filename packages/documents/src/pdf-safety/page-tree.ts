import {
  PDFArray,
  type PDFDict,
  type PDFDocument,
  PDFName,
  PDFPageLeaf,
  PDFPageTree,
} from 'pdf-lib'
import type { PdfLimits } from './pdf-limits.ts'
import { damaged, tooComplex } from './unsafe-pdf.ts'

/**
 * Returns the pages of a PDF in order. pdf-lib follows the page tree without detecting cycles and omits nodes that it
 * does not know, so this function checks the tree first. Every node must be a page or a branch, no branch may occur
 * twice, and the chain of parents of each node must end. Throws UnsafePdf.
 */
export function readPageTree(document: PDFDocument, limits: PdfLimits): PDFPageLeaf[] {
  const root = document.catalog?.lookup(PDFName.of('Pages'))
  if (!(root instanceof PDFPageTree)) throw damaged()

  const pages: PDFPageLeaf[] = []
  const branches = new Set<PDFPageTree>([root])
  const wayUp = new Set<PDFDict>()
  const pending: { node: unknown; depth: number }[] = [{ node: root, depth: 0 }]
  while (pending.length > 0) {
    const { node, depth } = pending.pop()!
    if (!(node instanceof PDFPageTree || node instanceof PDFPageLeaf)) throw damaged()
    if (depth > limits.pageTreeDepthMax) {
      throw tooComplex(`a page tree of more than ${limits.pageTreeDepthMax} levels`)
    }
    checkWayUp(node, wayUp, limits)
    if (node instanceof PDFPageLeaf) {
      pages.push(node)
      if (pages.length > limits.pagesMax) throw tooManyPages(pages.length, limits)
      continue
    }
    for (const kid of kidsOf(node).reverse()) {
      if (kid instanceof PDFPageTree) {
        if (branches.has(kid)) throw damaged('The PDF is damaged: its page tree is circular.')
        branches.add(kid)
      }
      pending.push({ node: kid, depth: depth + 1 })
    }
    if (pending.length > limits.valuesMax) throw tooManyPages(pending.length, limits)
  }
  return pages
}

function kidsOf(branch: PDFPageTree): unknown[] {
  const kids = branch.lookup(PDFName.of('Kids'))
  if (!(kids instanceof PDFArray)) throw damaged()
  return kids.asArray().map((kid) => branch.context.lookup(kid))
}

/**
 * pdf-lib climbs from a page to the parents it inherits from, without end if they form a ring. The chain of each node
 * in `known` is already known to end.
 */
function checkWayUp(from: PDFDict, known: Set<PDFDict>, limits: PdfLimits): void {
  const path = new Set<PDFDict>()
  let node: unknown = from
  while (node !== undefined && !known.has(node as PDFDict)) {
    if (!(node instanceof PDFPageTree || node === from)) throw damaged()
    if (path.has(node as PDFDict) || path.size > limits.pageTreeDepthMax) {
      throw damaged('The PDF is damaged: the parents of its pages are circular.')
    }
    path.add(node as PDFDict)
    node = (node as PDFDict).lookup(PDFName.of('Parent'))
  }
  for (const each of path) known.add(each)
}

function tooManyPages(pages: number, { pagesMax }: PdfLimits): Error {
  return tooComplex(`more than ${pagesMax} pages`, { unit: 'pages', value: pages, max: pagesMax })
}
