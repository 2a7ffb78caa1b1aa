import { crc32 } from 'node:zlib'

/** Returns the file with one byte changed: still a PDF, but not the one in the manifest. */
export function alteredFile(file: Uint8Array): Uint8Array {
  const altered = Uint8Array.from(file)
  const place = altered.length - 1
  altered[place] = altered[place] === 0x0a ? 0x20 : 0x0a
  return altered
}

/**
 * Returns an uncompressed ZIP archive in which this file is the altered one, with its checksum. A print stream contains
 * no file as it was, so it remains unchanged.
 */
export function withAlteredFile(archive: Uint8Array, file: Uint8Array): Uint8Array {
  const zip = Buffer.from(archive)
  const place = zip.indexOf(file)
  if (place < 0) return archive
  const altered = alteredFile(file)
  zip.set(altered, place)
  const [known, other] = [uint32(crc32(file)), uint32(crc32(altered))]
  for (let at = zip.indexOf(known); at >= 0; at = zip.indexOf(known, at + 4)) zip.set(other, at)
  return zip
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}
