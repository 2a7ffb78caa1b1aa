import { points } from './a4.ts'

/**
 * One line in the window, in points. `x` and `y` are its left end and baseline, from the window's top left, downwards.
 */
type PlacedLine = { text: string; size: number; x: number; y: number; width: number }

/** The layout of the window. `barcode` is its top left; absent if there is no barcode or no room for one. */
type AddressLayout = { lines: readonly PlacedLine[]; barcode?: { x: number; y: number } }

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
/** Royal Mail: 2 mm around a barcode must be blank, also towards the edges of the window. */
const quietZone = points(2)

/** As a share of the type size. */
const lineHeight = 1.06
const baseline = 0.8
/** Between the handling instruction and the address, and between columns, in points. */
const gapBelowHandling = 2
const gapBetweenColumns = 6

type Setting = { addressSize: number; handlingSize: number; handlingColumns: 1 | 2 }
type Texts = { handling: readonly string[]; address: readonly string[] }
type Size = { width: number; height: number }
type WidthInEm = (text: string) => number

/** In order of preference. The last one fits seven handling lines above eight address lines. */
const settings: readonly Setting[] = [
  ...[10, 9.5, 9, 8.5, 8, 7.5, 7].map((size) => setting(size, size, 1)),
  ...[8, 7.5, 7].map((size) => setting(size, 6, 1)),
  ...[8, 7.5, 7, 6.5, 6].map((size) => setting(size, 5, 2)),
]

/** Smaller type is not worth a barcode, because without one a machine can read the address itself. */
const settingsOverBarcode = settings.filter(
  ({ addressSize, handlingSize }) => addressSize >= 8 && handlingSize >= 6,
)
const settingsBesideBarcode = settings.filter(({ handlingSize }) => handlingSize >= 6)

/**
 * Places the handling instruction and, below it, the address in the window, in the largest type that fits. The
 * instruction gets smaller, then two columns, before the address gets smaller. `width` is the maximum width of a line;
 * a line that is too wide even in the smallest type must be narrowed when it is drawn.
 *
 * A barcode is placed below the address if the address keeps type of 8 points. Otherwise it is placed at the bottom
 * right if the lines beside it are short enough and the type keeps 7 points. Otherwise it is left out. The handling
 * instruction never gets smaller than 6 points to make room for a barcode.
 */
export function layOutAddress(
  texts: Texts,
  widthInEm: WidthInEm,
  barcode?: Size | undefined,
): AddressLayout {
  if (barcode) {
    const over = settingsOverBarcode.find((each) => fits(each, texts, widthInEm, barcode))
    if (over) return placeOver(over, texts, barcode)

    for (const each of settingsBesideBarcode) {
      if (!fits(each, texts, widthInEm)) continue
      const beside = placeBeside(each, texts, barcode)
      if (beside.lines.every(({ text, size, width }) => widthInEm(text) * size <= width)) {
        return beside
      }
    }
  }
  const fitting = settings.find((each) => fits(each, texts, widthInEm))
  return { lines: place(fitting ?? settings.at(-1)!, texts) }
}

function fits(
  each: Setting,
  { handling, address }: Texts,
  widthInEm: WidthInEm,
  barcode?: Size,
): boolean {
  const room = barcode ? innerHeight - heightWithQuiet(barcode) + edgePadding : innerHeight
  return (
    heightOf(each, handling.length, address.length) <= room &&
    handling.every((text) => widthInEm(text) * each.handlingSize <= columnWidth(each)) &&
    address.every((text) => widthInEm(text) * each.addressSize <= innerWidth)
  )
}

/** Text and barcode are one block, vertically centred in the window, or higher if the quiet zone requires it. */
function placeOver(each: Setting, texts: Texts, barcode: Size): AddressLayout {
  const textHeight = heightOf(each, texts.handling.length, texts.address.length)
  const height = textHeight + quietZone + barcode.height
  const top = Math.min(
    (addressWindow.height - height) / 2,
    addressWindow.height - quietZone - height,
  )
  return {
    lines: place(each, texts, top),
    barcode: { x: quietZone, y: top + textHeight + quietZone },
  }
}

/** Limits the width of lines that reach into the barcode's quiet zone. */
function placeBeside(each: Setting, texts: Texts, barcode: Size): AddressLayout {
  const x = addressWindow.width - quietZone - barcode.width
  const y = addressWindow.height - quietZone - barcode.height
  const lines = place(each, texts).map((line) => {
    const bottom = line.y + (lineHeight - baseline) * line.size
    const room = x - quietZone - line.x
    return bottom > y - quietZone ? { ...line, width: Math.min(line.width, room) } : line
  })
  return { lines, barcode: { x, y } }
}

function place(
  each: Setting,
  { handling, address }: Texts,
  top = (addressWindow.height - heightOf(each, handling.length, address.length)) / 2,
): readonly PlacedLine[] {
  const { addressSize, handlingSize } = each
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

/** Height of a barcode at the bottom of the window, with its quiet zones above and below. */
function heightWithQuiet({ height }: Size): number {
  return height + 2 * quietZone
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
