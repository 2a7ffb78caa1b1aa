import { crc32 } from 'node:zlib'

/** Returns the files of a ZIP without compression, from the directory at its end. Throws if it is incomplete. */
export function readZip(zip: Buffer): { name: string; content: Buffer }[] {
  const end = zip.length - 22
  if (end < 0 || zip.readUInt32LE(end) !== 0x06054b50) throw new Error('The ZIP has no end')
  const count = zip.readUInt16LE(end + 10)
  let at = zip.readUInt32LE(end + 16)
  return Array.from({ length: count }, () => {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error('The list of a ZIP is broken')
    const nameBytes = zip.readUInt16LE(at + 28)
    const name = zip.toString('utf8', at + 46, at + 46 + nameBytes)
    const bytes = zip.readUInt32LE(at + 20)
    const local = zip.readUInt32LE(at + 42)
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const content = zip.subarray(from, from + bytes)
    if (crc32(content) !== zip.readUInt32LE(at + 16)) throw new Error(`${name} is broken`)
    at += 46 + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
    return { name, content }
  })
}
