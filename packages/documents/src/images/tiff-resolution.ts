import { imageFramesMax } from './image-limits.ts'

/** Pixels per inch, across and down, before a picture is rotated upright. */
export type Resolution = { across: number; down: number }

/** What a directory of a TIFF says of its picture. */
export type TiffDirectory = {
  resolution: Resolution | undefined
  /** False for a smaller copy of another picture, such as a thumbnail, and for a mask of transparency. */
  isPage: boolean
}

const tags = {
  newSubfileType: 254,
  subfileType: 255,
  xResolution: 282,
  yResolution: 283,
  resolutionUnit: 296,
} as const
/** TIFF 6.0, NewSubfileType: bit 0 is a reduced-resolution version of another image, bit 2 a transparency mask. */
const noPage = 0b101
/** TIFF 6.0, SubfileType: 2 is a reduced-resolution version. */
const reduced = 2
const pixelsPerInchPerUnit = new Map([
  [2, 1],
  [3, 2.54],
])

type Tiff = { view: DataView; isLittle: boolean; isBig: boolean }

/**
 * Reads the first hundred directories of a TIFF. EXIF data is such a TIFF. Throws a RangeError if the data ends too
 * early.
 */
export function readTiffDirectories(view: DataView): readonly TiffDirectory[] {
  const isLittle = view.getUint16(0) === 0x4949
  const tiff = { view, isLittle, isBig: view.getUint16(2, isLittle) === 43 }
  const directories: TiffDirectory[] = []
  let directoryAt = tiff.isBig ? readOffset(tiff, 8) : readOffset(tiff, 4)
  while (directoryAt > 0 && directories.length < imageFramesMax) {
    const { nextAt, ...directory } = readDirectory(tiff, directoryAt)
    directories.push(directory)
    directoryAt = nextAt
  }
  return directories
}

function readDirectory(tiff: Tiff, directoryAt: number) {
  const { view, isLittle, isBig } = tiff
  const count = isBig ? readOffset(tiff, directoryAt) : view.getUint16(directoryAt, isLittle)
  const entryBytes = isBig ? 20 : 12
  const entriesAt = directoryAt + (isBig ? 8 : 2)

  let across: number | undefined
  let down: number | undefined
  let unit = 2
  let isPage = true
  for (let entry = 0; entry < count; entry++) {
    const at = entriesAt + entry * entryBytes
    const valueAt = at + (isBig ? 12 : 8)
    const tag = view.getUint16(at, isLittle)
    if (tag === tags.xResolution) across = readRational(tiff, valueAt)
    if (tag === tags.yResolution) down = readRational(tiff, valueAt)
    if (tag === tags.resolutionUnit) unit = view.getUint16(valueAt, isLittle)
    if (tag === tags.newSubfileType) isPage &&= !(view.getUint32(valueAt, isLittle) & noPage)
    if (tag === tags.subfileType) isPage &&= view.getUint16(valueAt, isLittle) !== reduced
  }
  const perInch = pixelsPerInchPerUnit.get(unit)
  const resolution =
    across && perInch ? { across: across * perInch, down: (down ?? across) * perInch } : undefined
  return { resolution, isPage, nextAt: readOffset(tiff, entriesAt + count * entryBytes) }
}

/** Eight bytes. A BigTIFF stores them in the entry; any other TIFF stores their offset. */
function readRational(tiff: Tiff, valueAt: number): number {
  const { view, isLittle, isBig } = tiff
  const at = isBig ? valueAt : readOffset(tiff, valueAt)
  return view.getUint32(at, isLittle) / view.getUint32(at + 4, isLittle)
}

function readOffset({ view, isLittle, isBig }: Tiff, at: number): number {
  return isBig ? Number(view.getBigUint64(at, isLittle)) : view.getUint32(at, isLittle)
}
