import {
  countReferenceEntries,
  decodeStructure,
  odd,
  readInteger,
  readIntegers,
  readText,
  type StructureStream,
} from './structure-stream.ts'
import { damaged } from './unsafe-pdf.ts'

const entryBytesMax = 32

/**
 * Returns the offsets of objects that a cross-reference stream states. Limits the number of entries and the decoded
 * size. Throws UnsafePdf.
 */
export function scanReferenceStream(stream: StructureStream): number[] {
  const { budget } = stream
  const size = readInteger(stream, 'Size')
  const index = stream.entries.has('Index') ? readIntegers(stream, 'Index') : [0, size]
  const [typeBytes = 0, placeBytes = 0, ...more] = readIntegers(stream, 'W')
  const entryBytes = more.reduce((sum, width) => sum + width, typeBytes + placeBytes)
  if (entryBytes > entryBytesMax) throw damaged(odd)
  const count = index.reduce((sum, value, at) => (at % 2 === 1 ? sum + value : sum), 0)
  countReferenceEntries(budget, count)

  const entries = unpredict(stream, decodeStructure(stream))
  const places: number[] = []
  for (let entry = 0; entry < count && entryBytes > 0; entry += 1) {
    const at = entry * entryBytes
    if (at + entryBytes > entries.length) break
    // Without a type field, an entry describes an object that is not in an object stream.
    const type = typeBytes === 0 ? 1 : bigEndian(entries, at, typeBytes)
    if (type === 1) places.push(bigEndian(entries, at + typeBytes, placeBytes))
  }
  return places
}

function bigEndian(bytes: Uint8Array, from: number, count: number): number {
  let value = 0
  for (let at = from; at < from + count; at += 1) value = value * 256 + bytes[at]!
  return value
}

/** Undoes PNG's row filters (ISO 32000, 7.4.4.4), which most writers apply to the entries before compression. */
function unpredict({ bytes, entries }: StructureStream, decoded: Uint8Array): Uint8Array {
  const parameters = readText(bytes, entries, 'DecodeParms') ?? ''
  // Spelt in a way that this scan could miss and other readers accept.
  if (/[#%]|R$/.test(parameters)) throw damaged(odd)
  const predictor = Number(/\/Predictor ?(\d{1,3})/.exec(parameters)?.[1] ?? 1)
  if (predictor === 1) return decoded
  const columns = Number(/\/Columns ?(\d{1,3})/.exec(parameters)?.[1] ?? 1)
  const hasOthers = /\/(?:Colors|BitsPerComponent)/.test(parameters)
  if (predictor < 10 || columns < 1 || hasOthers) throw damaged(odd)
  const rows = Math.floor(decoded.length / (columns + 1))
  const plain = new Uint8Array((rows + 1) * columns)
  for (let row = 0; row < rows; row += 1) {
    const filter = decoded[row * (columns + 1)]!
    for (let column = 0; column < columns; column += 1) {
      // The first row of `plain` stays zero: it is the row above the first.
      const at = (row + 1) * columns + column
      const left = column > 0 ? plain[at - 1]! : 0
      const above = plain[at - columns]!
      const corner = column > 0 ? plain[at - columns - 1]! : 0
      const raw = decoded[row * (columns + 1) + 1 + column]!
      plain[at] = raw + predicted(filter, left, above, corner)
    }
  }
  return plain.subarray(columns)
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0
    case 1:
      return left
    case 2:
      return above
    case 3:
      return (left + above) >> 1
    case 4:
      return nearest(left + above - corner, left, above, corner)
    default:
      throw damaged(odd)
  }
}

function nearest(wanted: number, left: number, above: number, corner: number): number {
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((each) => Math.abs(wanted - each))
  if (toLeft! <= toAbove! && toLeft! <= toCorner!) return left
  return toAbove! <= toCorner! ? above : corner
}
