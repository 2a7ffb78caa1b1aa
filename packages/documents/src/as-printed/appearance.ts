import {
  PDFArray,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFPageLeaf,
  PDFRef,
  PDFStream,
} from 'pdf-lib'
import { fieldEntry } from './field-entry.ts'

/** From the coordinates of an appearance to those of the page: `a b c d e f` as in the operator `cm`. */
type Matrix = readonly [number, number, number, number, number, number]
type Box = { left: number; bottom: number; right: number; top: number }

const keys = {
  AcroForm: PDFName.of('AcroForm'),
  AP: PDFName.of('AP'),
  AS: PDFName.of('AS'),
  BBox: PDFName.of('BBox'),
  DR: PDFName.of('DR'),
  F: PDFName.of('F'),
  Matrix: PDFName.of('Matrix'),
  N: PDFName.of('N'),
  Off: PDFName.of('Off'),
  Rect: PDFName.of('Rect'),
  Resources: PDFName.of('Resources'),
  Subtype: PDFName.of('Subtype'),
}
const popup = PDFName.of('Popup')
const widget = PDFName.of('Widget')
/** Flags of an annotation (ISO 32000-2, 12.5.3). */
const flags = { hidden: 2, print: 4, noRotate: 16 } as const
const identity: Matrix = [1, 0, 0, 1, 0, 0]
/** In points. A scale or a distance above this is an error of the file. */
const lengthMax = 1_000_000

/** Returns whether an annotation prints. A popup never does: it opens on screens. */
export function prints(annotation: PDFDict): boolean {
  const given = flagsOf(annotation)
  const isShown = (given & flags.print) !== 0 && (given & flags.hidden) === 0
  return isShown && annotation.lookup(keys.Subtype) !== popup
}

/**
 * Returns the reference of the stream that draws an annotation. Of an annotation with states, it is that of its state,
 * or without one that of the field's value.
 */
export function appearanceRef(annotation: PDFDict): PDFRef | undefined {
  const appearances = annotation.lookup(keys.AP)
  if (!(appearances instanceof PDFDict)) return undefined
  const normal = appearances.lookup(keys.N)
  return normal instanceof PDFDict
    ? streamRef(normal, stateOf(annotation))
    : streamRef(appearances, keys.N)
}

/**
 * Returns the resources of an appearance. Some writers leave them out: then a field has those of its form, and anything
 * else those of its page.
 */
export function resourcesOf(
  appearance: PDFDict,
  { annotation, page }: { annotation: PDFDict; page: PDFPageLeaf },
): PDFDict | undefined {
  const own = appearance.lookup(keys.Resources)
  if (own instanceof PDFDict) return own
  const isField = annotation.lookup(keys.Subtype) === widget
  return (isField ? resourcesOfForm(page) : undefined) ?? page.Resources()
}

function resourcesOfForm({ context }: PDFPageLeaf): PDFDict | undefined {
  const catalog = context.lookup(context.trailerInfo.Root)
  const settings = catalog instanceof PDFDict ? catalog.lookup(keys.AcroForm) : undefined
  const resources = settings instanceof PDFDict ? settings.lookup(keys.DR) : undefined
  return resources instanceof PDFDict ? resources : undefined
}

function stateOf(annotation: PDFDict): PDFName {
  const states = [annotation.lookup(keys.AS), fieldEntry(annotation, 'V')]
  return states.find((state) => state instanceof PDFName) ?? keys.Off
}

/** A stream is an object of its own, so only a reference can name it. */
function streamRef(dictionary: PDFDict, key: PDFName): PDFRef | undefined {
  const value = dictionary.get(key)
  if (!(value instanceof PDFRef)) return undefined
  return dictionary.context.lookup(value) instanceof PDFStream ? value : undefined
}

/**
 * Returns the matrix that fits the box of an appearance, turned by its own matrix, into the rectangle of the annotation
 * (ISO 32000-2, 12.5.5). Returns undefined if either is missing, empty or not of this world, because nothing is seen
 * then. An annotation that does not turn with its page stays upright at its upper left corner.
 */
export function placementOf(
  annotation: PDFDict,
  { form, rotation }: { form: PDFDict; rotation: number },
): Matrix | undefined {
  const rectangle = rectangleOf(annotation)
  const given = boxOf(form.lookup(keys.BBox))
  if (!rectangle || !given) return undefined
  const box = turned(given, matrixOf(form))
  const across = (rectangle.right - rectangle.left) / (box.right - box.left)
  const up = (rectangle.top - rectangle.bottom) / (box.top - box.bottom)
  const fitted: Matrix = [
    ...([across, 0, 0, up] as const),
    rectangle.left - box.left * across,
    rectangle.bottom - box.bottom * up,
  ]
  const stays = (flagsOf(annotation) & flags.noRotate) !== 0
  const placed = stays ? turnedAt(fitted, rotation, rectangle) : fitted
  return placed.every((value) => Math.abs(value) <= lengthMax) && across * up !== 0
    ? placed
    : undefined
}

/** Returns the rectangle of an annotation, or undefined if it has none. */
export function rectangleOf(annotation: PDFDict): Box | undefined {
  return boxOf(annotation.lookup(keys.Rect))
}

function turned({ left, bottom, right, top }: Box, [a, b, c, d, e, f]: Matrix): Box {
  const corners = [
    [left, bottom],
    [right, bottom],
    [left, top],
    [right, top],
  ] as const
  const across = corners.map(([x, y]) => a * x + c * y + e)
  const up = corners.map(([x, y]) => b * x + d * y + f)
  return {
    left: Math.min(...across),
    bottom: Math.min(...up),
    right: Math.max(...across),
    top: Math.max(...up),
  }
}

/** Turns by whole quarters, against the clock, at the upper left corner of a box. */
function turnedAt([a, b, c, d, e, f]: Matrix, degrees: number, { left, top }: Box): Matrix {
  const quarters = (((degrees / 90) % 4) + 4) % 4
  const cos = [1, 0, -1, 0][quarters] ?? 1
  const sin = [0, 1, 0, -1][quarters] ?? 0
  const turn = (x: number, y: number) => [x * cos - y * sin, x * sin + y * cos] as const
  const [x, y] = turn(e - left, f - top)
  return [...turn(a, b), ...turn(c, d), x + left, y + top]
}

function flagsOf(annotation: PDFDict): number {
  const value = annotation.lookup(keys.F)
  return value instanceof PDFNumber ? value.asNumber() : 0
}

function matrixOf(form: PDFDict): Matrix {
  const numbers = numbersOf(form.lookup(keys.Matrix))
  return numbers?.length === 6 ? (numbers as unknown as Matrix) : identity
}

function boxOf(value: PDFObject | undefined): Box | undefined {
  const numbers = numbersOf(value)
  if (numbers?.length !== 4) return undefined
  const [x1, y1, x2, y2] = numbers as [number, number, number, number]
  return {
    left: Math.min(x1, x2),
    bottom: Math.min(y1, y2),
    right: Math.max(x1, x2),
    top: Math.max(y1, y2),
  }
}

function numbersOf(value: PDFObject | undefined): number[] | undefined {
  if (!(value instanceof PDFArray)) return undefined
  const items = value.asArray().map((_, index) => value.lookup(index))
  return items.map((item) => (item instanceof PDFNumber ? item.asNumber() : Number.NaN))
}
