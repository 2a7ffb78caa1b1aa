import { PDFArray, PDFDict, type PDFDocument, PDFName, PDFObjectCopier, PDFPage } from 'pdf-lib'
import { copyLayers } from './pdf-layers.ts'

/** Entries of a page for screens only. Through links, a copy would include other whole pages. */
const screenOnlyOfPage = ['AA', 'B', 'Metadata', 'PieceInfo', 'StructParents', 'Thumb']
const screenOnlyOfAnnotation = [
  'A',
  'AA',
  'Dest',
  'IRT',
  'P',
  'PA',
  'Parent',
  'Popup',
  'StructParent',
]

/** Adds the pages of a PDF as they print: content, size, rotation, visible annotations and layers. */
export function addPdfPages(document: PDFDocument, source: PDFDocument): void {
  const copier = PDFObjectCopier.for(source.context, document.context)
  for (const { node } of source.getPages()) {
    removeScreenOnly(node)
    const copy = copier.copy(node)
    document.addPage(PDFPage.of(copy, document.context.register(copy), document))
  }
  copyLayers(document, source, copier)
}

/** Removes from a page and its annotations everything for screens only, and everything that leads to other pages. */
export function removeScreenOnly(page: PDFDict): void {
  for (const key of screenOnlyOfPage) page.delete(PDFName.of(key))
  for (const annotation of annotationsOf(page)) {
    for (const key of screenOnlyOfAnnotation) annotation.delete(PDFName.of(key))
  }
}

function annotationsOf(page: PDFDict): PDFDict[] {
  const annotations = page.lookup(PDFName.of('Annots'))
  if (!(annotations instanceof PDFArray)) return []
  return annotations
    .asArray()
    .map((annotation) => page.context.lookup(annotation))
    .filter((annotation) => annotation instanceof PDFDict)
}
