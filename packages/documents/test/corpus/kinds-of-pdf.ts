import { PDFArray, PDFDict, type PDFDocument, PDFName, PDFNumber, type PDFPage } from 'pdf-lib'

/**
 * Returns what a PDF has that composing must carry over: its annotations by subtype, forms, layers and boxes.
 * `Link for screens` is one that is not printed: MuPDF and poppler show it, and a letter does not.
 */
export function kindsOf(document: PDFDocument): string[] {
  const kinds = new Set<string>()
  const { catalog } = document
  if (catalog.has(PDFName.of('OCProperties'))) kinds.add('layers')
  const form = catalog.lookup(PDFName.of('AcroForm'))
  if (form instanceof PDFDict) {
    kinds.add('form')
    if (form.has(PDFName.of('NeedAppearances'))) kinds.add('NeedAppearances')
    if (form.has(PDFName.of('XFA'))) kinds.add('XFA')
  }
  for (const { node } of pagesOf(document)) {
    if (node.lookup(PDFName.of('UserUnit')) instanceof PDFNumber) kinds.add('UserUnit')
    if (node.getInheritableAttribute(PDFName.of('CropBox'))) kinds.add('CropBox')
    if (node.getInheritableAttribute(PDFName.of('Rotate'))) kinds.add('Rotate')
    for (const subtype of annotationsOf(node)) kinds.add(subtype)
  }
  return [...kinds].toSorted()
}

/** Returns none of a document whose pages cannot be read. Composing refuses it. */
function pagesOf(document: PDFDocument): readonly PDFPage[] {
  try {
    return document.getPages()
  } catch {
    return []
  }
}

function annotationsOf(page: PDFDict): string[] {
  const annotations = page.lookup(PDFName.of('Annots'))
  if (!(annotations instanceof PDFArray)) return []
  return annotations
    .asArray()
    .map((annotation) => page.context.lookup(annotation))
    .filter((annotation) => annotation instanceof PDFDict)
    .map((annotation) => {
      const subtype = String(annotation.lookup(PDFName.of('Subtype'))).slice(1)
      return isPrinted(annotation) ? subtype : `${subtype} for screens`
    })
}

const printFlag = 4

function isPrinted(annotation: PDFDict): boolean {
  const flags = annotation.lookup(PDFName.of('F'))
  return flags instanceof PDFNumber && (flags.asNumber() & printFlag) !== 0
}
