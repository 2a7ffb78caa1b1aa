import { PDFDict, PDFName, type PDFObject, PDFRawStream } from 'pdf-lib'
import type { Operand } from './content-operators.ts'
import { addWork, type DrawingWork, greatestOf, noWork } from './drawing-work.ts'
import type { CountSteps } from './function-steps.ts'
import { createPaths } from './measure-paths.ts'
import { imageWork, inlineImageWork, scaleOf, shadingWork, tilesOf } from './measure-resources.ts'

/** Where a content is drawn. */
export type Place = {
  /** From 1. */
  page: number
  resources: PDFDict | undefined
  /** How many forms, patterns and glyphs it is within. */
  depth: number
}

/** What a painting operator paints with, besides a plain colour. */
type Paint = { pattern: PDFObject } | undefined

/** What `q` saves and `Q` restores, besides what belongs to paths. */
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

/** A content whose operators run one after the other. */
type Run = {
  /** What they demand so far. */
  work: DrawingWork
  place: Place
  /** The place of what this content draws. */
  within: Place
  paths: ReturnType<typeof createPaths>
  state: State
  saved: State[]
  steps: CountSteps
  /** Returns what a form demands. Without resources of its own, it has those of the place. */
  form(form: PDFRawStream, place: Place): DrawingWork
}

type Operands = readonly Operand[]

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

const fills = new Set(['f', 'F', 'f*', 'B', 'B*', 'b', 'b*'])
const strokes = new Set(['S', 's', 'B', 'B*', 'b', 'b*'])

/** The operators that demand work or change what others demand. Those of paths are with the paths. */
const operators: ReadonlyMap<string, (run: Run, operands: Operands) => void> = new Map([
  ['q', save],
  ['Q', restore],
  ['gs', changeState],
  ['Do', drawObject],
  ['sh', paintShading],
  ['ID', (run, operands) => addWork(run.work, inlineImageWork(operands))],
  ['Tf', chooseFont],
  ['Tr', chooseTextMode],
  ...["'", '"', 'Tj', 'TJ'].map((name) => [name, showText] as const),
  ...['cs', 'sc', 'scn', 'g', 'rg', 'k'].map((name) => [name, choosePaint('fill')] as const),
  ...['CS', 'SC', 'SCN', 'G', 'RG', 'K'].map((name) => [name, choosePaint('stroke')] as const),
])

/** Returns a function that runs one operator after the other and adds what they demand to the work. */
export function runOperators(
  work: DrawingWork,
  place: Place,
  measure: Pick<Run, 'form' | 'steps'>,
): (name: string, operands: Operands) => void {
  const run: Run = {
    ...measure,
    work,
    place,
    within: { ...place, depth: place.depth + 1 },
    paths: createPaths(),
    saved: [],
    state: {
      fill: undefined,
      stroke: undefined,
      mask: undefined,
      glyph: undefined,
      mixing: 0,
      isClippingText: false,
    },
  }
  return (name, operands) => {
    if (run.paths.take(name, operands)) return
    if (fills.has(name) || strokes.has(name) || name === 'n') endPath(run, name)
    else operators.get(name)?.(run, operands)
  }
}

function save({ paths, saved, state }: Run): void {
  paths.save()
  if (saved.length < savedMax) saved.push({ ...state })
}

function restore(run: Run): void {
  run.paths.restore()
  run.state = run.saved.pop() ?? run.state
}

/** The operator `gs`: takes the soft mask, the opacity and the blend mode of a dictionary. */
function changeState({ state, place, within, form }: Run, operands: Operands): void {
  const settings = resourceAt(place, keys.ExtGState, operands.at(-1))
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

/** The operator `Do`: an image or a form. */
function drawObject({ work, state, place, within, paths, steps, form }: Run, operands: Operands) {
  const object = resourceAt(place, keys.XObject, operands.at(-1))
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

function paintShading({ work, state, place, steps }: Run, operands: Operands): void {
  if (state.mask) addWork(work, state.mask)
  addWork(work, shadingWork(resourceAt(place, keys.Shading, operands.at(-1)), steps))
}

function chooseFont(run: Run, operands: Operands): void {
  const font = resourceAt(run.place, keys.Font, operands.at(-2))
  run.state.glyph = font instanceof PDFDict ? glyphOf(font, run) : undefined
}

/** Returns the most that any glyph of a Type 3 font demands: the greatest of each number. */
function glyphOf(font: PDFDict, { place, within, form }: Run): DrawingWork | undefined {
  if (font.lookup(keys.Subtype) !== isType3) return undefined
  const glyphs = dictionaryAt(font, keys.CharProcs)?.values() ?? []
  const resources = dictionaryAt(font, keys.Resources) ?? place.resources
  return greatestOf(
    glyphs
      .map((glyph) => font.context.lookup(glyph))
      .filter((glyph) => glyph instanceof PDFRawStream)
      .map((glyph) => ({ ...form(glyph, { ...within, resources }), area: 0 })),
  )
}

function chooseTextMode({ state }: Run, operands: Operands): void {
  const mode = operands.at(-1)
  state.isClippingText = mode?.kind === 'number' && mode.value >= clippingModes
}

function showText(run: Run, operands: Operands): void {
  const { work, state, paths } = run
  const shown = operands.at(-1)
  const bytes = shown?.kind === 'text' ? shown.bytes : shown?.kind === 'list' ? shown.textBytes : 0
  if (state.glyph) addWork(work, state.glyph, bytes)
  if (state.isClippingText) addWork(work, { clips: bytes })
  paint(run, state.fill, paths.wholeArea)
}

function choosePaint(what: 'fill' | 'stroke') {
  return ({ state, place }: Run, operands: Operands): void => {
    const pattern = resourceAt(place, keys.Pattern, operands.at(-1))
    state[what] = pattern && { pattern }
  }
}

/** The operators that end a path: they fill it, stroke it, do both or neither. */
function endPath(run: Run, name: string): void {
  const { work, state, place } = run
  const { area, pages, dashes, isClip } = run.paths.end()
  if (isClip) addWork(work, { clips: 1 })
  if (fills.has(name)) {
    addWork(work, { area: place.depth === 0 ? Math.min(pages, 1) : pages })
    paint(run, state.fill, area)
  }
  if (!strokes.has(name)) return
  addWork(work, { dashes })
  paint(run, state.stroke, area)
}

/** `area` is that of what is painted, in the units of this content. */
function paint({ work, state, within, steps, form }: Run, paint: Paint, area: number): void {
  if (state.mask) addWork(work, state.mask)
  if (!paint) return
  const { pattern } = paint
  const dictionary = pattern instanceof PDFRawStream ? pattern.dict : pattern
  if (pattern instanceof PDFRawStream) {
    addWork(work, { tiles: tilesOf(pattern.dict, area) })
    // a cell is painted once and then copied
    addWork(work, { ...form(pattern, { ...within, resources: undefined }), area: 0 })
  } else if (dictionary instanceof PDFDict) {
    addWork(work, shadingWork(dictionary.lookup(keys.Shading), steps))
  }
}

/** Returns the resource of this kind that an operand names. */
function resourceAt({ resources }: Place, kind: PDFName, operand: Operand | undefined) {
  if (operand?.kind !== 'name') return undefined
  return dictionaryAt(resources, kind)?.lookup(key(operand.value))
}

function dictionaryAt(dictionary: PDFDict | undefined, name: PDFName): PDFDict | undefined {
  const value = dictionary?.lookup(name)
  return value instanceof PDFDict ? value : undefined
}
