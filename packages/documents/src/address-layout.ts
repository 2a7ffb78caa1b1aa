import { points } from './a4.ts'

/** One line in the window: its left end and baseline from the window's top left, downwards, in points. */
export type PlacedLine = { text: string; size: number; x: number; y: number; width: number }

/** The envelope's window: 24.6 to 120 mm from the left edge, 39.5 to 66.3 mm from the top. */
export const addressWindow = {
  left: points(24.6),
  top: points(39.5),
  width: points(120 - 24.6),
  height: points(66.3 - 39.5),
} as const

const sidePadding = points(1)
const edgePadding = points(0.3)
const innerWidth = addressWindow.width - 2 * sidePadding
const innerHeight = addressWindow.height - 2 * edgePadding

/** Of the type size. */
const lineHeight = 1.06
const baseline = 0.8
/** Between handling instruction and address, and between columns, in points. */
const gapBelowHandling = 2
const gapBetweenColumns = 6

type Setting = { addressSize: number; handlingSize: number; handlingColumns: 1 | 2 }

/** From the best to the smallest. The last holds seven handling lines over eight address lines. */
const settings: readonly Setting[] = [
  ...[10, 9.5, 9, 8.5, 8, 7.5, 7].map((size) => setting(size, size, 1)),
  ...[8, 7.5, 7].map((size) => setting(size, 6, 1)),
  ...[8, 7.5, 7, 6.5, 6].map((size) => setting(size, 5, 2)),
]

/**
 * Places the handling instruction and, below it, the address in the window, in the largest type that
 * fits; the instruction gets smaller and then two columns before the address does. A line that is
 * too wide even then is narrowed by whoever draws it: `width` says how wide it may be.
 */
export function layOutAddress(
  { handling, address }: { handling: readonly string[]; address: readonly string[] },
  widthInEm: (text: string) => number,
): readonly PlacedLine[] {
  const fitting = settings.find(
    (each) =>
      heightOf(each, handling.length, address.length) <= innerHeight &&
      handling.every((text) => widthInEm(text) * each.handlingSize <= columnWidth(each)) &&
      address.every((text) => widthInEm(text) * each.addressSize <= innerWidth),
  )
  return place(fitting ?? settings.at(-1)!, { handling, address })
}

function place(
  each: Setting,
  { handling, address }: { handling: readonly string[]; address: readonly string[] },
): readonly PlacedLine[] {
  const { addressSize, handlingSize } = each
  const blockHeight = heightOf(each, handling.length, address.length)
  const top = (addressWindow.height - blockHeight) / 2
  const addressTop = top + handlingHeight(each, handling.length)
  const width = columnWidth(each)
  const rows = handlingRows(each, handling.length)

  return [
    ...handling.map((text, index) => ({
      text,
      size: handlingSize,
      x: sidePadding + Math.floor(index / rows) * (width + gapBetweenColumns),
      y: top + ((index % rows) * lineHeight + baseline) * handlingSize,
      width,
    })),
    ...address.map((text, index) => ({
      text,
      size: addressSize,
      x: sidePadding,
      y: addressTop + (index * lineHeight + baseline) * addressSize,
      width: innerWidth,
    })),
  ]
}

function heightOf(each: Setting, handlingLines: number, addressLines: number): number {
  return handlingHeight(each, handlingLines) + addressLines * each.addressSize * lineHeight
}

function handlingHeight(each: Setting, lines: number): number {
  const rows = handlingRows(each, lines)
  return rows > 0 ? rows * each.handlingSize * lineHeight + gapBelowHandling : 0
}

/** Two columns are read down the first, then down the second. */
function handlingRows({ handlingColumns }: Setting, lines: number): number {
  return Math.ceil(lines / handlingColumns)
}

function columnWidth({ handlingColumns }: Setting): number {
  return handlingColumns === 1 ? innerWidth : (innerWidth - gapBetweenColumns) / 2
}

function setting(addressSize: number, handlingSize: number, handlingColumns: 1 | 2): Setting {
  return { addressSize, handlingSize, handlingColumns }
}
