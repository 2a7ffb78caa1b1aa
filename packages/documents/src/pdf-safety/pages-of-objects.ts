import { PDFDict, PDFName, type PDFObject, type PDFPageLeaf, PDFRef } from 'pdf-lib'
import { partsOf } from './features.ts'

/** Keys that lead away from a page: to parents, to other pages, or to what all pages share. */
const leadingAway = new Set(
  ['Parent', 'P', 'Dest', 'D', 'B', 'IRT', 'StructParent', 'OC', 'Root'].map((key) =>
    PDFName.of(key),
  ),
)

/** Returns the page of each object, from 1: the first page that reaches it. Objects that no page reaches are absent. */
export function findPagesOfObjects(pages: readonly PDFPageLeaf[]): Map<PDFObject, number> {
  const found = new Map<PDFObject, number>(pages.map((page, index) => [page, index + 1]))
  for (const [index, page] of pages.entries()) {
    const pending: PDFObject[] = [...valuesOf(page)]
    for (let value = pending.pop(); value; value = pending.pop()) {
      const isReference = value instanceof PDFRef
      const object = isReference ? page.context.lookup(value) : value
      if (!object || (isReference && found.has(object))) continue
      if (isReference) found.set(object, index + 1)
      for (const part of valuesOf(object)) pending.push(part)
    }
  }
  return found
}

function valuesOf(object: PDFObject): readonly PDFObject[] {
  if (!(object instanceof PDFDict)) return partsOf(object)
  return object
    .entries()
    .filter(([key]) => !leadingAway.has(key))
    .map(([, value]) => value)
}
