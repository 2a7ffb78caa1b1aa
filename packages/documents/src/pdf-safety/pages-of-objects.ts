import { PDFDict, PDFName, type PDFObject, type PDFPageLeaf, PDFRef } from 'pdf-lib'
import { partsOf } from './features.ts'

/** Keys that lead away from a page: up, to other pages, or to what all pages share. */
const leadingAway = new Set(
  ['Parent', 'P', 'Dest', 'D', 'B', 'IRT', 'StructParent', 'OC', 'Root'].map((key) =>
    PDFName.of(key),
  ),
)

/** On which page, from 1, an object stands: the first that reaches it. What no page reaches is not in the answer. */
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
