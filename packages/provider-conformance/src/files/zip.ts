import { crc32 } from 'node:zlib'

const localSignature = 0x04034b50
const centralSignature = 0x02014b50
const endSignature = 0x06054b50
const version = 20
const utf8Names = 0x0800
/** 1 January 1980, the first day of the format. */
const dosDay = 0x0021

/** Returns a ZIP archive with uncompressed entries (PKWARE APPNOTE 6.3). For small files: without ZIP64. */
export function zipOf(entries: readonly { name: string; content: Uint8Array }[]): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const { name, content } of entries) {
    const encoded = Buffer.from(name)
    const fields = commonFields(encoded, content)
    const local = Buffer.concat([uint32(localSignature), fields, encoded, content])
    centrals.push(
      Buffer.concat([
        uint32(centralSignature),
        uint16(version),
        fields,
        // Comment, disk, internal and external attributes: none.
        Buffer.alloc(10),
        uint32(offset),
        encoded,
      ]),
    )
    locals.push(local)
    offset += local.byteLength
  }
  const directory = Buffer.concat(centrals)
  const count = uint16(entries.length)
  const end = [uint32(endSignature), Buffer.alloc(4), count, count]
  const place = [uint32(directory.byteLength), uint32(offset), uint16(0)]
  return Buffer.concat([...locals, directory, ...end, ...place])
}

/** Returns the fields that an entry's header and its line in the directory share. */
function commonFields(name: Buffer, content: Uint8Array): Buffer {
  return Buffer.concat([
    uint16(version),
    uint16(utf8Names),
    uint16(0),
    uint16(0),
    uint16(dosDay),
    uint32(crc32(content)),
    uint32(content.byteLength),
    uint32(content.byteLength),
    uint16(name.byteLength),
    uint16(0),
  ])
}

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16LE(value)
  return buffer
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}
