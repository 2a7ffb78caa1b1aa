import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleId } from '@despatch/domain/preflight/rules'
import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFName,
  type PDFObject,
  type PDFPageLeaf,
  PDFRef,
  PDFStream,
} from 'pdf-lib'
import { appearanceRef, placementOf, prints, rectangleOf, resourcesOf } from './appearance.ts'
import { drawOver, type Overlay } from './draw-over.ts'
import { createFieldDrawer, type FieldDrawer } from './field-appearance.ts'

/** What became of the annotations of a document. Pages count from 1. */
export type Flattened = {
  /** Whether a page has new content. */
  isChanged: boolean
  /** The pages with a field that the file does not draw, and that was drawn. */
  drawnPages: readonly number[]
  /** What cannot be drawn (P201, P211, P212). */
  findings: readonly Finding[]
}

const keys = {
  Annots: PDFName.of('Annots'),
  OC: PDFName.of('OC'),
  Resources: PDFName.of('Resources'),
  Subtype: PDFName.of('Subtype'),
  Type: PDFName.of('Type'),
}
const kinds = {
  link: PDFName.of('Link'),
  text: PDFName.of('FreeText'),
  widget: PDFName.of('Widget'),
} as const
/** Where a line, a polygon, a highlight and a drawing by hand are. */
const ownPlaces = ['L', 'Vertices', 'QuadPoints', 'InkList'].map((key) => PDFName.of(key))
const form = PDFName.of('Form')
const formObject = PDFName.of('XObject')
const nothing: Flattened = { isChanged: false, drawnPages: [], findings: [] }

/**
 * Draws the annotations and fields that print into the content of their pages, in order, each within its layer, and
 * removes all annotations. Then every reader prints the same, because none needs the form that the fields belong to.
 */
export async function flattenAnnotations(
  document: PDFDocument,
  pages: readonly PDFPageLeaf[] = document.getPages().map(({ node }) => node),
): Promise<Flattened> {
  if (!pages.some((page) => page.has(keys.Annots))) return nothing
  const drawer = createFieldDrawer(document)
  const findings: Finding[] = []
  const drawnPages: number[] = []
  let isChanged = false
  for (const [index, page] of pages.entries()) {
    if (!page.has(keys.Annots)) continue
    const { overlay, undrawn, hasDrawn } = await drawAnnotations(page, drawer)
    page.delete(keys.Annots)
    if (hasDrawn) drawnPages.push(index + 1)
    if (overlay) isChanged = true
    if (overlay && !drawOver(page, overlay)) undrawn.add('pdf-damaged')
    findings.push(...[...undrawn].map((rule) => describeUndrawn(rule, index + 1)))
  }
  // the typeface of the fields is written now, because only now all its characters are known
  await document.flush()
  return { isChanged, drawnPages, findings }
}

/** Returns what is to be drawn over a page, and the rules that its annotations break. */
async function drawAnnotations(
  page: PDFPageLeaf,
  drawer: FieldDrawer,
): Promise<{ overlay?: Overlay | undefined; undrawn: Set<RuleId>; hasDrawn: boolean }> {
  const undrawn = new Set<RuleId>()
  let hasDrawn = false
  try {
    const gathered = createOverlay(page)
    for (const annotation of annotationsOf(page).filter(prints)) {
      const drawn = await refOf(annotation, drawer)
      if (typeof drawn === 'string') undrawn.add(drawn)
      else if (drawn) {
        gathered.add(annotation, drawn.ref)
        hasDrawn ||= drawn.isMade
      }
    }
    return { overlay: gathered.end(), undrawn, hasDrawn }
  } catch {
    return { undrawn: undrawn.add('pdf-damaged'), hasDrawn }
  }
}

/** Returns the stream that draws an annotation, or the rule that it breaks because nothing does. */
async function refOf(
  annotation: PDFDict,
  drawer: FieldDrawer,
): Promise<{ ref: PDFRef; isMade: boolean } | RuleId | undefined> {
  const subtype = annotation.lookup(keys.Subtype)
  if (subtype === kinds.widget) {
    const drawn = await drawer.draw(annotation)
    if (drawn.kind === 'cannot-be-made') return 'field-undrawn'
    return 'ref' in drawn ? { ref: drawn.ref, isMade: drawn.kind === 'made' } : undefined
  }
  const ref = appearanceRef(annotation)
  if (ref) return { ref, isMade: false }
  if (subtype === kinds.link || isEmpty(annotation)) return undefined
  return subtype === kinds.text ? 'field-undrawn' : 'annotation-undrawn'
}

/** A line or a highlight may have a place of its own outside its rectangle. */
function isEmpty(annotation: PDFDict): boolean {
  if (ownPlaces.some((key) => annotation.has(key))) return false
  const box = rectangleOf(annotation)
  return !box || !(box.right > box.left && box.top > box.bottom)
}

/** Gathers what is drawn over a page. */
function createOverlay(page: PDFPageLeaf) {
  const operators: string[] = []
  const forms = new Map<PDFRef, string>()
  const layers = new Map<PDFRef, string>()
  const rotation = page.Rotate()?.asNumber() ?? 0
  const named = (names: Map<PDFRef, string>, prefix: string, ref: PDFRef): string => {
    const name = names.get(ref) ?? `${prefix}${names.size}`
    names.set(ref, name)
    return name
  }
  const byName = (names: Map<PDFRef, string>) =>
    Object.fromEntries([...names].map(([ref, name]) => [name, ref]))

  return {
    add(annotation: PDFDict, ref: PDFRef): void {
      const stream = page.context.lookup(ref)
      if (!(stream instanceof PDFStream)) return
      const matrix = placementOf(annotation, { form: stream.dict, rotation })
      if (!matrix) return
      const resources = resourcesOf(stream.dict, { annotation, page })
      // some writers leave out what says that a stream is a form
      stream.dict.set(keys.Type, formObject)
      stream.dict.set(keys.Subtype, form)
      stream.dict.set(keys.Resources, resources ?? page.context.obj({}))
      const numbers = matrix.map((value) => Math.round(value * 1e6) / 1e6)
      const drawing = `q ${numbers.join(' ')} cm /${named(forms, 'Annotation', ref)} Do Q`
      const layer = layerOf(annotation)
      operators.push(layer ? `/OC /${named(layers, 'Layer', layer)} BDC\n${drawing}\nEMC` : drawing)
    },
    end(): Overlay | undefined {
      if (operators.length === 0) return undefined
      const properties = layers.size > 0 ? { Properties: byName(layers) } : {}
      return {
        operators: operators.join('\n'),
        resources: { XObject: byName(forms), ...properties },
      }
    },
  }
}

function layerOf(annotation: PDFDict): PDFRef | undefined {
  const value = annotation.get(keys.OC)
  if (value instanceof PDFDict) return annotation.context.register(value)
  return value instanceof PDFRef ? value : undefined
}

function annotationsOf(page: PDFPageLeaf): PDFDict[] {
  const annotations: PDFObject | undefined = page.lookup(keys.Annots)
  if (!(annotations instanceof PDFArray)) return []
  return annotations
    .asArray()
    .map((annotation) => page.context.lookup(annotation))
    .filter((annotation) => annotation instanceof PDFDict)
}

const sentences: Readonly<Partial<Record<RuleId, string>>> = {
  'pdf-damaged': 'has content that is damaged and cannot be read.',
  'field-undrawn':
    'has a form field or a text box whose text is not drawn in the file and cannot be drawn here; print the file to a new PDF and send that.',
  'annotation-undrawn':
    'has a comment, such as a highlight or a shape, that the file does not draw; it is not printed. To have it printed, print the file to a new PDF and send that.',
}

function describeUndrawn(rule: RuleId, page: number): Finding {
  return {
    rule,
    severity: rule === 'annotation-undrawn' ? 'note' : 'refusal',
    page,
    detail: `Page ${page} of the PDF ${sentences[rule]}`,
  }
}
