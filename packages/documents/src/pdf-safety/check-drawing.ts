import { PDFArray, PDFDict, PDFName, type PDFObject, type PDFPageLeaf, PDFRawStream } from 'pdf-lib'
import { appearanceRef, resourcesOf } from '../as-printed/appearance.ts'
import { addWork, checkWork, type DrawingWork } from './drawing-work.ts'
import { createMeasure, type Measure } from './measure-content.ts'
import type { PdfLimits } from './pdf-limits.ts'

const keys = {
  Annots: PDFName.of('Annots'),
  Contents: PDFName.of('Contents'),
  Resources: PDFName.of('Resources'),
}

/**
 * Counts what each page demands of a reader that paints it, before anything is painted. The streams were measured. A
 * form, pattern or glyph is counted as often as it is drawn, and read once. Throws UnsafePdf.
 */
export function checkDrawing(pages: readonly PDFPageLeaf[], limits: PdfLimits): void {
  const measure = createMeasure(limits)
  for (const [index, page] of pages.entries()) {
    const work = measure.content(streamsOf(page.lookup(keys.Contents)), {
      page: index + 1,
      resources: dictionaryOf(page.getInheritableAttribute(keys.Resources), page),
      depth: 0,
    })
    addAnnotations(work, page, { measure, page: index + 1 })
    checkWork(work, index + 1, limits)
  }
}

/** An annotation is painted as a group. */
function addAnnotations(
  work: DrawingWork,
  leaf: PDFPageLeaf,
  { measure, page }: { measure: Measure; page: number },
): void {
  const annotations = leaf.lookup(keys.Annots)
  if (!(annotations instanceof PDFArray)) return
  for (const reference of annotations.asArray()) {
    const annotation = leaf.context.lookup(reference)
    if (!(annotation instanceof PDFDict)) continue
    const appearance = leaf.context.lookup(appearanceRef(annotation))
    if (!(appearance instanceof PDFRawStream)) continue
    const resources = resourcesOf(appearance.dict, { annotation, page: leaf })
    addWork(work, { groups: 1 })
    addWork(work, measure.form(appearance, { page, resources, depth: 1 }))
  }
}

function streamsOf(contents: PDFObject | undefined): PDFRawStream[] {
  if (contents instanceof PDFRawStream) return [contents]
  if (!(contents instanceof PDFArray)) return []
  const each = contents.asArray().map((_, index) => contents.lookup(index))
  return each.filter((stream) => stream instanceof PDFRawStream)
}

function dictionaryOf(value: PDFObject | undefined, { context }: PDFPageLeaf): PDFDict | undefined {
  const found = context.lookup(value)
  return found instanceof PDFDict ? found : undefined
}
