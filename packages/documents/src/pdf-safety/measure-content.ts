import { PDFDict, PDFName, type PDFObject, PDFRawStream } from 'pdf-lib'
import { readOperators } from './content-operators.ts'
import { decodeContent } from './decode-content.ts'
import { addWork, type DrawingWork, greatestOf, noWork, tooMuchDrawing } from './drawing-work.ts'
import { createCountSteps } from './function-steps.ts'
import { createPaths } from './measure-paths.ts'
import { imageWork, inlineImageWork, scaleOf, shadingWork, tilesOf } from './measure-resources.ts'
import type { PdfLimits } from './pdf-limits.ts'

/** Where a content is drawn. */
export type Place = {
  /** From 1. */
  page: number
  resources: PDFDict | undefined
  /** How many forms, patterns and glyphs it is within. */
  depth: number
}

export type Measure = {
  /** Returns what the streams of one content demand. Throws UnsafePdf. */
  content(streams: readonly PDFRawStream[], place: Place): DrawingWork
  /** The same for a form. Without resources of its own, it has those of `place`. */
  form(form: PDFRawStream, place: Place): DrawingWork
}

/** What a painting operator paints with, besides a plain colour. */
type Paint = { pattern: PDFObject } | undefined

type State = {
  fill: Paint
  stroke: Paint
  /** What painting one more object through the soft mask demands. */
  mask: DrawingWork | undefined
  /** How many groups a form counts as because of its opacity and blend mode, even if it is no group. */
  mixing: number
  /** What one glyph of a Type 3 font demands. */
  glyph: DrawingWork | undefined
  isClippingText: boolean
}

const key = (name: string) => PDFName.of(name)
const keys = {
  BM: key('BM'),
  CA: key('CA'),
  ca: key('ca'),
  CharProcs: key('CharProcs'),
  ExtGState: key('ExtGState'),
  Font: key('Font'),
  G: key('G'),
  Group: key('Group'),
  Pattern: key('Pattern'),
  PatternType: key('PatternType'),
  Resources: key('Resources'),
  Shading: key('Shading'),
  SMask: key('SMask'),
  Subtype: key('Subtype'),
  XObject: key('XObject'),
}
const normal = key('Normal')
const slowModes: ReadonlySet<PDFObject | undefined> = new Set(
  ['Hue', 'Saturation', 'Color', 'Luminosity'].map(key),
)
/** Blending the three colours of a dot together takes as long as painting this many groups. */
const slowGroups = 10
const isForm = key('Form')
const isImage = key('Image')
const isType3 = key('Type3')
/** More saved states than these are not distinguished. */
const savedMax = 1_000
const clippingModes = 4

/** Measures contents. Each stream is read once with the same resources, however often it is drawn. */
export function createMeasure(limits: PdfLimits): Measure {
  const known = new Map<PDFObject, Map<PDFDict | undefined, DrawingWork>>()
  const open = new Set<PDFObject>()
  const steps = createCountSteps()
  let bytes = 0

  function content(streams: readonly PDFRawStream[], place: Place): DrawingWork {
    const { page, depth } = place
    const { pageOperatorsMax, drawingDepthMax, contentBytesMax } = limits
    if (depth > drawingDepthMax) {
      throw tooMuchDrawing(
        page,
        `more than ${drawingDepthMax} forms, patterns or glyphs within each other`,
      )
    }
    const work = noWork()
    const run = createRun(work, place)
    for (const stream of streams) {
      const decoded = decodeContent(stream)
      bytes += decoded.length
      if (bytes > contentBytesMax) {
        throw tooMuchDrawing(page, `more than ${contentBytesMax / 1024 / 1024} MiB of content`)
      }
      for (const { name, operands } of readOperators(decoded)) {
        work.operators += 1
        run(name, operands)
        if (work.operators > pageOperatorsMax) return work
      }
    }
    return work
  }

  /**
   * Reads a stream once with the same resources. Throws UnsafePdf for a stream that draws itself, because it has no
   * end.
   */
  function once(
    stream: PDFRawStream,
    { resources, ...place }: Place,
    read: (place: Place) => DrawingWork,
  ): DrawingWork {
    const own = dictionaryAt(stream.dict, keys.Resources) ?? resources
    const found = known.get(stream)?.get(own)
    if (found) return found
    if (open.has(stream)) {
      throw tooMuchDrawing(place.page, 'a form, pattern or glyph that draws itself')
    }
    open.add(stream)
    const work = read({ ...place, resources: own })
    open.delete(stream)
    known.set(stream, (known.get(stream) ?? new Map()).set(own, work))
    return work
  }

  const form = (stream: PDFRawStream, place: Place) =>
    once(stream, place, (within) => content([stream], within))

  /** Returns the most that any glyph of a Type 3 font demands: the greatest of each number. */
  function glyphOf(font: PDFDict, place: Place): DrawingWork | undefined {
    if (font.lookup(keys.Subtype) !== isType3) return undefined
    const glyphs = dictionaryAt(font, keys.CharProcs)?.values() ?? []
    const resources = dictionaryAt(font, keys.Resources) ?? place.resources
    const within = { ...place, resources, depth: place.depth + 1 }
    return greatestOf(
      glyphs
        .map((glyph) => font.context.lookup(glyph))
        .filter((glyph) => glyph instanceof PDFRawStream)
        .map((glyph) => ({ ...form(glyph, within), area: 0 })),
    )
  }

  /** Returns a function that runs one operator after the other and adds to the work. */
  function createRun(work: DrawingWork, place: Place) {
    const within = { ...place, depth: place.depth + 1 }
    const paths = createPaths()
    const saved: State[] = []
    let state: State = {
      fill: undefined,
      stroke: undefined,
      mask: undefined,
      glyph: undefined,
      mixing: 0,
      isClippingText: false,
    }
    const named = (kind: PDFName, operand: Operands[number] | undefined) =>
      operand?.kind === 'name'
        ? dictionaryAt(place.resources, kind)?.lookup(key(operand.value))
        : undefined

    /** `area` is that of what is painted, in the units of this content. */
    function paint(paint: Paint, area: number): void {
      if (state.mask) addWork(work, state.mask)
      if (!paint) return
      const { pattern } = paint
      const dictionary = pattern instanceof PDFRawStream ? pattern.dict : pattern
      if (pattern instanceof PDFRawStream) {
        const tiles = tilesOf(pattern.dict, area)
        addWork(work, { tiles })
        // a cell is painted once and then copied
        addWork(work, { ...form(pattern, { ...within, resources: undefined }), area: 0 })
      } else if (dictionary instanceof PDFDict) {
        addWork(work, shadingWork(dictionary.lookup(keys.Shading), steps))
      }
    }

    function draw(object: PDFObject | undefined): void {
      if (!(object instanceof PDFRawStream)) return
      const subtype = object.dict.lookup(keys.Subtype)
      if (state.mask) addWork(work, state.mask)
      if (subtype === isImage) addWork(work, imageWork(object.dict, place.resources, steps))
      if (subtype !== isForm) return
      const groups = Math.max(state.mixing, object.dict.has(keys.Group) ? 1 : 0)
      addWork(work, { groups })
      const drawn = form(object, within)
      const scale = paths.scale() * scaleOf(object.dict)
      addWork(work, { ...drawn, area: drawn.area * scale })
    }

    function change(settings: PDFObject | undefined): void {
      if (!(settings instanceof PDFDict)) return
      const mask = settings.lookup(keys.SMask)
      if (mask instanceof PDFDict) {
        const group = mask.lookup(keys.G)
        state.mask = { ...noWork(), groups: 1 }
        if (group instanceof PDFRawStream) addWork(state.mask, form(group, within))
      } else if (mask) state.mask = undefined
      const [opacity, lines] = [settings.lookup(keys.ca), settings.lookup(keys.CA)]
      const mode = settings.lookup(keys.BM)
      if (opacity || lines || mode) {
        const isOpaque = [opacity, lines].every((each) => !each || String(each) === '1')
        const isBlended = mode !== undefined && mode !== normal
        state.mixing = slowModes.has(mode) ? slowGroups : isBlended || !isOpaque ? 1 : 0
      }
    }

    function show(bytesShown: number): void {
      if (state.glyph) addWork(work, state.glyph, bytesShown)
      if (state.isClippingText) addWork(work, { clips: bytesShown })
      paint(state.fill, paths.wholeArea)
    }

    function endPath(name: string): void {
      const { area, pages, dashes, isClip } = paths.end()
      if (isClip) addWork(work, { clips: 1 })
      if (fills.has(name)) {
        addWork(work, { area: place.depth === 0 ? Math.min(pages, 1) : pages })
        paint(state.fill, area)
      }
      if (!strokes.has(name)) return
      addWork(work, { dashes })
      paint(state.stroke, area)
    }

    return (name: string, operands: Operands): void => {
      const last = operands.at(-1)
      if (paths.take(name, operands)) return
      if (fills.has(name) || strokes.has(name) || name === 'n') {
        endPath(name)
        return
      }
      switch (name) {
        case 'q':
          paths.save()
          if (saved.length < savedMax) saved.push({ ...state })
          return
        case 'Q':
          paths.restore()
          state = saved.pop() ?? state
          return
        case 'gs':
          change(named(keys.ExtGState, last))
          return
        case 'Do':
          draw(named(keys.XObject, last))
          return
        case 'sh':
          if (state.mask) addWork(work, state.mask)
          addWork(work, shadingWork(named(keys.Shading, last), steps))
          return
        case 'ID':
          addWork(work, inlineImageWork(operands))
          return
        case 'Tf': {
          const font = named(keys.Font, operands.at(-2))
          state.glyph = font instanceof PDFDict ? glyphOf(font, place) : undefined
          return
        }
        case 'Tr':
          state.isClippingText = last?.kind === 'number' && last.value >= clippingModes
          return
        case 'Tj':
        case "'":
        case '"':
          show(last?.kind === 'text' ? last.bytes : 0)
          return
        case 'TJ':
          show(last?.kind === 'list' ? last.textBytes : 0)
          return
        default: {
          const isFill = fillColours.has(name)
          if (!isFill && !strokeColours.has(name)) return
          const pattern = named(keys.Pattern, last)
          state[isFill ? 'fill' : 'stroke'] = pattern && { pattern }
        }
      }
    }
  }

  return { content, form }
}

type Operands = Parameters<ReturnType<typeof createPaths>['take']>[1]

const fills = new Set(['f', 'F', 'f*', 'B', 'B*', 'b', 'b*'])
const strokes = new Set(['S', 's', 'B', 'B*', 'b', 'b*'])
const fillColours = new Set(['cs', 'sc', 'scn', 'g', 'rg', 'k'])
const strokeColours = new Set(['CS', 'SC', 'SCN', 'G', 'RG', 'K'])

function dictionaryAt(dictionary: PDFDict | undefined, name: PDFName): PDFDict | undefined {
  const value = dictionary?.lookup(name)
  return value instanceof PDFDict ? value : undefined
}
