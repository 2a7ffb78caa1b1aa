import {
  PDFArray,
  PDFCatalog,
  PDFDict,
  type PDFDocument,
  PDFName,
  PDFPageLeaf,
  PDFPageTree,
  PDFRef,
} from 'pdf-lib'

const keys = { Kids: PDFName.of('Kids'), Pages: PDFName.of('Pages'), Type: PDFName.of('Type') }

/**
 * Gives the catalogue and the nodes of the page tree their type if the file leaves it out. Readers know them by their
 * place, and pdf-lib by their type alone. A type that says something else is left to the check of the page tree.
 */
export function typeNodes(document: PDFDocument): void {
  const { context } = document
  const root = context.trailerInfo.Root
  const found = context.lookup(root)
  if (root instanceof PDFRef && isUntyped(found) && found.has(keys.Pages)) {
    const catalog = PDFCatalog.fromMapWithContext(typed(found, 'Catalog'), context)
    context.assign(root, catalog)
    Object.assign(document, { catalog })
  }
  const pages = document.catalog instanceof PDFDict ? document.catalog.get(keys.Pages) : undefined
  const known = new Set<unknown>()
  const pending: unknown[] = [pages]
  while (pending.length > 0) {
    const ref = pending.pop()
    if (!(ref instanceof PDFRef) || known.has(ref)) continue
    known.add(ref)
    const node = context.lookup(ref)
    if (!(node instanceof PDFDict)) continue
    if (isUntyped(node)) context.assign(ref, typedNode(node))
    const kids = node.lookup(keys.Kids)
    if (kids instanceof PDFArray) for (const kid of kids.asArray()) pending.push(kid)
  }
}

function isUntyped(value: unknown): value is PDFDict {
  return value instanceof PDFDict && !value.has(keys.Type)
}

function typedNode(node: PDFDict): PDFDict {
  return node.has(keys.Kids)
    ? PDFPageTree.fromMapWithContext(typed(node, 'Pages'), node.context)
    : PDFPageLeaf.fromMapWithContext(typed(node, 'Page'), node.context)
}

function typed(node: PDFDict, type: string) {
  return new Map(node.entries()).set(keys.Type, PDFName.of(type))
}
