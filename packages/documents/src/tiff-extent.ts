/** Returns bytes of a file from an offset on, or undefined if they are not available. */
type ReadAt = (offset: number, bytes: number) => Uint8Array | undefined

type Entry = { tag: number; size: number; count: number; withinLimit: Uint8Array }

/** The tags of the offsets and lengths of strips and tiles. */
const pixelTags = [
  { offsets: 273, lengths: 279 },
  { offsets: 324, lengths: 325 },
]
/** Bytes of one value, by type number. */
const valueBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
const entriesMax = 4096
const directoriesMax = 1000

/**
 * Returns whether the directories of a TIFF or BigTIFF, what they point to, and the pixels that they name are within
 * the file. Data that `readAt` cannot read is assumed to be valid; decoding checks it.
 */
export function isTiffWithin(fileBytes: number, readAt: ReadAt): boolean {
  const header = readAt(0, Math.min(16, fileBytes))
  if (!header || fileBytes < 8) return false
  const isLittle = header[0] === 0x49
  const isBig = header[isLittle ? 2 : 3] === 0x2b
  if (isBig && fileBytes < 16) return false
  const wordBytes = isBig ? 8 : 4
  const countBytes = isBig ? 8 : 2
  const entryBytes = isBig ? 20 : 12

  const number = (bytes: Uint8Array, at: number, size: number): number => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (size === 2) return view.getUint16(at, isLittle)
    return size === 4 ? view.getUint32(at, isLittle) : Number(view.getBigUint64(at, isLittle))
  }
  const readEntry = (bytes: Uint8Array): Entry => ({
    tag: number(bytes, 0, 2),
    size: valueBytes[number(bytes, 2, 2)] ?? 0,
    count: number(bytes, 4, wordBytes),
    withinLimit: bytes.subarray(4 + wordBytes),
  })
  /** The offset of a value that does not fit in its entry. */
  const placeOf = ({ size, count, withinLimit }: Entry) =>
    size * count <= wordBytes ? undefined : number(withinLimit, 0, wordBytes)
  const valuesOf = (entry: Entry | undefined): number[] => {
    if (!entry || ![2, 4, 8].includes(entry.size)) return []
    const place = placeOf(entry)
    const bytes = place === undefined ? entry.withinLimit : readAt(place, entry.size * entry.count)
    if (!bytes) return []
    return Array.from({ length: entry.count }, (_, index) =>
      number(bytes, index * entry.size, entry.size),
    )
  }
  const isWithin = (entries: readonly Entry[]): boolean =>
    entries.every((entry) => (placeOf(entry) ?? 0) + entry.size * entry.count <= fileBytes) &&
    pixelTags.every(({ offsets, lengths }) => {
      const sizes = valuesOf(entries.find(({ tag }) => tag === lengths))
      return valuesOf(entries.find(({ tag }) => tag === offsets)).every(
        (at, index) => at + (sizes[index] ?? 0) <= fileBytes,
      )
    })

  let directoryAt = number(header, isBig ? 8 : 4, wordBytes)
  if (directoryAt === 0) return false
  for (let seen = 0; directoryAt !== 0 && seen < directoriesMax; seen++) {
    const entriesAt = directoryAt + countBytes
    if (entriesAt > fileBytes) return false
    const head = readAt(directoryAt, countBytes)
    if (!head) return true
    const count = number(head, 0, countBytes)
    const end = entriesAt + count * entryBytes + wordBytes
    if (count === 0 || count > entriesMax || end > fileBytes) return false
    const directory = readAt(entriesAt, end - entriesAt)
    if (!directory) return true
    const entries = Array.from({ length: count }, (_, index) =>
      readEntry(directory.subarray(index * entryBytes, (index + 1) * entryBytes)),
    )
    if (!isWithin(entries)) return false
    directoryAt = number(directory, count * entryBytes, wordBytes)
  }
  return true
}
