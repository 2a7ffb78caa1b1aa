import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { zipOf } from './zip.ts'

test('returns each entry with its length, its checksum and the position of its header', () => {
  const zip = zipOf([
    { name: 'D1.pdf', content: Buffer.from('one') },
    { name: 'D2.pdf', content: Buffer.from('second') },
  ])

  const end = zip.indexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const directory = zip.readUInt32LE(end + 16)
  const second = directory + 46 + 'D1.pdf'.length
  const local = zip.readUInt32LE(second + 42)
  expect({
    entries: zip.readUInt16LE(end + 10),
    directoryBytes: zip.readUInt32LE(end + 12),
    checksum: zip.readUInt32LE(second + 16),
    length: zip.readUInt32LE(second + 24),
    name: zip.toString('utf8', second + 46, second + 52),
    content: zip.toString('utf8', local + 36, local + 42),
    trailing: zip.length - end,
  }).toEqual({
    entries: 2,
    directoryBytes: 2 * 52,
    checksum: crc32('second'),
    length: 6,
    name: 'D2.pdf',
    content: 'second',
    trailing: 22,
  })
})
