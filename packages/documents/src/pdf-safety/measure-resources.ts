import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRawStream } from 'pdf-lib'
import type { Operand } from './content-operators.ts'
import { decodeContent } from './decode-content.ts'
import type { DrawingWork } from './drawing-work.ts'
import { type CountSteps, numberAt } from './function-steps.ts'

const key = (name: string) => PDFName.of(name)
const keys = {
  BitsPerComponent: key('BitsPerComponent'),
  ColorSpace: key('ColorSpace'),
  Function: key('Function'),
  Height: key('Height'),
  Mask: key('Mask'),
  Matrix: key('Matrix'),
  ShadingType: key('ShadingType'),
  SMask: key('SMask'),
  Width: key('Width'),
  XStep: key('XStep'),
  YStep: key('YStep'),
}
const calculatedSpaces = [key('Separation'), key('DeviceN')]
/** Dots of a page in the picture that is checked. */
const pageDots = 1_000_000
/** Colours along an axis or a radius, which are calculated once. */
const axisColours = 256
/** Colours of a palette of a byte per pixel, which are calculated once. */
const paletteColours = 256
/** Steps for a piece of a mesh besides its colours, and the bytes of the smallest piece. */
const pieceSteps = 5_000
const pieceBytes = 6
const baseDepthMax = 8

/** Returns what painting a shading over a page demands. */
export function shadingWork(
  shading: PDFObject | undefined,
  countSteps: CountSteps,
): Partial<DrawingWork> {
  const dictionary = shading instanceof PDFRawStream ? shading.dict : shading
  if (!(dictionary instanceof PDFDict)) return {}
  const type = numberAt(dictionary, keys.ShadingType) ?? 0
  const ofPoint =
    countSteps(dictionary.lookup(keys.Function)) + stepsOfSpace(dictionary, undefined, countSteps)
  if (type === 1) return { steps: pageDots * ofPoint }
  if (type < 4) return { steps: axisColours * ofPoint }
  const bytes = shading instanceof PDFRawStream ? decodeContent(shading).length : 0
  return { steps: Math.ceil(bytes / pieceBytes) * (pieceSteps + ofPoint) }
}

/** Returns what drawing an image demands, with its mask. */
export function imageWork(
  image: PDFDict,
  resources: PDFDict | undefined,
  countSteps: CountSteps,
): Partial<DrawingWork> {
  const pixels = pixelsOf(image)
  const masks = [keys.SMask, keys.Mask].map((each) => image.lookup(each))
  const ofMasks = masks.map((mask) => (mask instanceof PDFRawStream ? pixelsOf(mask.dict) : 0))
  const ofPixel = stepsOfSpace(image, resources, countSteps)
  const isPalette = (numberAt(image, keys.BitsPerComponent) ?? 8) * inksOf(image) <= 8
  const colours = isPalette ? Math.min(pixels, paletteColours) : pixels
  return {
    pixels: ofMasks.reduce((sum, each) => sum + each, pixels),
    steps: colours * ofPixel,
  }
}

/** The operands are the entries of its dictionary. */
export function inlineImageWork(operands: readonly Operand[]): Partial<DrawingWork> {
  const numberOf = (...names: string[]) => {
    const at = operands.findIndex((each) => each.kind === 'name' && names.includes(each.value))
    const value = at < 0 ? undefined : operands[at + 1]
    return value?.kind === 'number' ? Math.abs(value.value) : 0
  }
  return { pixels: numberOf('W', 'Width') * numberOf('H', 'Height') }
}

/** Returns how many cells of a tiling pattern an area has, both in the units of the content that is painted. */
export function tilesOf(pattern: PDFDict, area: number): number {
  const step = (numberAt(pattern, keys.XStep) ?? 0) * (numberAt(pattern, keys.YStep) ?? 0)
  return Math.ceil(area / Math.abs(step * scaleOf(pattern)))
}

/** Returns how much larger areas become by the matrix of a form or a pattern. */
export function scaleOf(dictionary: PDFDict): number {
  const matrix = dictionary.lookup(keys.Matrix)
  const [a = 1, b = 0, c = 0, d = 1] = matrix instanceof PDFArray ? numbersOf(matrix) : []
  return Math.abs(a * d - b * c)
}

function pixelsOf(image: PDFDict): number {
  return Math.abs((numberAt(image, keys.Width) ?? 0) * (numberAt(image, keys.Height) ?? 0))
}

function inksOf(image: PDFDict): number {
  const space = image.lookup(keys.ColorSpace)
  const names = space instanceof PDFArray && space.size() > 1 ? space.lookup(1) : undefined
  return names instanceof PDFArray ? names.size() : 1
}

/** Returns the steps that convert a colour of this space. A name is that of a resource. */
function stepsOfSpace(
  dictionary: PDFDict,
  resources: PDFDict | undefined,
  countSteps: CountSteps,
): number {
  let space = dictionary.lookup(keys.ColorSpace)
  if (space instanceof PDFName) {
    const spaces = resources?.lookup(keys.ColorSpace)
    space = spaces instanceof PDFDict ? spaces.lookup(space) : undefined
  }
  let steps = 0
  for (let depth = 0; space instanceof PDFArray && space.size() > 2; depth += 1) {
    if (depth > baseDepthMax) return Number.POSITIVE_INFINITY
    const isCalculated = calculatedSpaces.some((name) => (space as PDFArray).lookup(0) === name)
    if (isCalculated && space.size() > 3) steps += countSteps(space.lookup(3))
    space = space.lookup(isCalculated ? 2 : 1)
  }
  return steps
}

function numbersOf(array: PDFArray): number[] {
  return array.asArray().map((_, index) => {
    const value = array.lookup(index)
    return value instanceof PDFNumber ? value.asNumber() : Number.NaN
  })
}
