import { PDFArray, PDFDict, type PDFDocument, PDFName, PDFObjectCopier, PDFPage } from 'pdf-lib'
import { copyLayers } from './pdf-layers.ts'

/** What a page has only for the screen. Through links, a copy would take whole other pages along. */
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

/** Takes out of a page and its annotations what shows only on a screen, with all that leads to other pages. */
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
