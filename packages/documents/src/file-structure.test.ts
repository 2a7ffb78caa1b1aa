import { expect, test } from 'vitest'
import { aBmp, aPdf, aPicture, aTiff } from '../test/sample-files.ts'
import { readStructure, startStructureReader } from './file-structure.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const after = (bytes: Uint8Array, ...more: (Uint8Array | string)[]) =>
  Buffer.concat([bytes, ...more.map((part) => (typeof part === 'string' ? latin1(part) : part))])

const gif = await aPicture().gif().toBuffer()
const png = await aPicture().png().toBuffer()
const jpeg = await aPicture().jpeg().toBuffer()
const progressive = await aPicture().jpeg({ progressive: true }).toBuffer()
const tiff = await aPicture().tiff().toBuffer()
const bigTiff = await aPicture().tiff({ bigtiff: true }).toBuffer()
const bmp = Buffer.from(await aBmp())
const pdf = Buffer.from(await aPdf())

/** An archive of one empty file with everything its readers require: entry, directory, end record. */
function aZip(comment = ''): Buffer {
  const entry = Buffer.alloc(31)
  entry.write('PK\x03\x04', 'latin1')
  entry.writeUInt16LE(1, 26)
  entry.write('a', 30)
  const directory = Buffer.alloc(47)
  directory.write('PK\x01\x02', 'latin1')
  directory.writeUInt16LE(1, 28)
  directory.write('a', 46)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(47, 12)
  end.writeUInt32LE(31, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([entry, directory, end, latin1(comment)])
}

/** A JPEG with an APP segment of these bytes directly after its first two. */
function withSegment(marker: number, content: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)])
}

/** A GIF with this comment directly after its colour table. */
function gifWithComment(words: string): Buffer {
  const tableBytes = 3 * 2 ** ((gif[10]! & 7) + 1)
  const at = 13 + (gif[10]! & 0x80 ? tableBytes : 0)
  const comment = latin1(`\x21\xfe${String.fromCharCode(words.length)}${words}\0`)
  return Buffer.concat([gif.subarray(0, at), comment, gif.subarray(at)])
}

/** A PNG with a text chunk after its header. Readers do not verify its checksum. */
function pngWithText(words: string): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(words.length)
  head.write('tEXt', 4)
  return after(png.subarray(0, 33), head, words, Buffer.alloc(4), png.subarray(33))
}

const honest: [name: string, bytes: Uint8Array, mediaType: string][] = [
  ['GIF', gif, 'image/gif'],
  ['PNG', png, 'image/png'],
  ['JPEG', jpeg, 'image/jpeg'],
  ['progressive JPEG', progressive, 'image/jpeg'],
  ['TIFF', tiff, 'image/tiff'],
  ['TIFF of two frames', aTiff(2), 'image/tiff'],
  ['BigTIFF', bigTiff, 'image/tiff'],
  ['BMP', bmp, 'image/bmp'],
  ['BMP of one bit', await aBmp(1), 'image/bmp'],
  ['PDF', pdf, 'application/pdf'],
]

test.each(honest)('a %s is complete and has no other kind', (_, bytes, mediaType) => {
  expect(readStructure(bytes)).toEqual({
    bytes: bytes.length,
    mediaType,
    isWhole: true,
    alsoIs: undefined,
  })
})

test.each(honest)('a %s that arrives byte by byte has the same structure', (_, bytes) => {
  const reader = startStructureReader(bytes.length)
  for (const byte of bytes) reader.push(Uint8Array.of(byte))

  expect(reader.end()).toEqual(readStructure(bytes))
})

test.each(honest)('a %s that is cut short anywhere is not complete', (name, bytes) => {
  // The last two bytes may be padding.
  const lengths = [...Array(40).keys()].map((part) => Math.floor((bytes.length * part) / 40))
  for (const length of [...lengths, bytes.length - 3]) {
    const { isWhole } = readStructure(bytes.subarray(0, length))
    expect(isWhole, `${name} of ${bytes.length} bytes cut after ${length}`).toBe(false)
  }
})

test.each([
  ['GIF', latin1('GIF89a')],
  ['PNG', latin1('\x89PNG\r\n\x1a\n')],
  ['JPEG', latin1('\xff\xd8\xff')],
  ['TIFF', latin1('II*\0')],
  ['TIFF with an empty directory', latin1('II*\0\x08\0\0\0\0\0\0\0\0\0')],
  ['TIFF whose directory is far away', latin1('II*\0\xff\xff\xff\x7f        ')],
  ['BigTIFF', latin1('MM\0+\0\x08\0\0')],
  ['PDF', latin1('%PDF-1.7')],
  ['PDF without the place of its index', latin1('%PDF-1.7\n%%EOF\n')],
  ['PNG of zeros', after(png.subarray(0, 8), Buffer.alloc(10_000))],
  ['JPEG of zeros', after(jpeg.subarray(0, 3), Buffer.alloc(10_000))],
  ['GIF of zeros', after(gif.subarray(0, 6), Buffer.alloc(10_000))],
])('a signature without content is not complete: %s', (_, bytes) => {
  const structure = readStructure(bytes)

  expect(structure.mediaType).toBeDefined()
  expect(structure).toMatchObject({ isWhole: false, alsoIs: undefined })
})

const web = 'a web page or script'
const jpegAndScript = after(
  latin1('\xff\xd8\xff\xe0/*'),
  Buffer.alloc(0x2f2a - 2),
  jpeg.subarray(2),
)

test.each([
  ['GIF and PDF', after(gifWithComment('%PDF-1.4'), pdf), 'a PDF file'],
  ['PNG and PDF', pngWithText('Comment\0%PDF-1.4 1 0 obj'), 'a PDF file'],
  ['JPEG and PDF', withSegment(0xfe, latin1('%PDF-1.4')), 'a PDF file'],
  ['JPEG with a PDF behind it', after(jpeg, Buffer.alloc(900), pdf), 'a PDF file'],
  ['GIF and ZIP', after(gif, aZip()), 'an archive'],
  ['JPEG and ZIP with a comment', after(jpeg, aZip('x'.repeat(5000))), 'an archive'],
  ['PDF and ZIP', after(pdf, aZip('%%EOF')), 'an archive'],
  ['TIFF and ZIP', after(tiff, aZip()), 'an archive'],
  ['BMP and ZIP', after(bmp, Buffer.alloc(20_000), aZip()), 'an archive'],
  ['PNG and RAR', after(png, 'Rar!\x1a\x07\x01\0'), 'an archive'],
  ['JPEG and 7z', after(jpeg, "7z\xbc\xaf'\x1c"), 'an archive'],
  ['GIF and HTML', gifWithComment('<HTML><body>'), web],
  ['PNG and PHP', pngWithText('Comment\0<?php phpinfo();'), web],
  ['JPEG and a script in a comment', withSegment(0xfe, latin1('<script>')), web],
  ['JPEG and PHP', after(jpeg, 'x'.repeat(2000), '<?php '), web],
  ['PDF and HTML', after(pdf, '\n<html>'), web],
  ['PDF that begins as HTML', after(latin1('%PDF-1.7\n<!DOCTYPE html>\n'), pdf), web],
  ['GIF and JavaScript', after(latin1('GIF89a/*'), gif.subarray(8)), web],
  ['GIF and JavaScript', after(latin1('GIF89a=1;//'), gif.subarray(11)), web],
  ['JPEG and JavaScript', jpegAndScript, web],
  ['GIF and a program', after(gif, '\x7fELF\x02\x01\x01'), 'a program'],
  ['PNG and a shell script', after(png, '\n#!/bin/sh\n'), 'a program'],
])('a file has two kinds at once: %s', (_, bytes, alsoIs) => {
  expect(readStructure(bytes).alsoIs).toBe(alsoIs)
})

test.each([
  ['JPEG with a thumbnail', withSegment(0xe1, after(latin1('Exif\0\0'), tiff, jpeg))],
  ['JPEG with XMP', withSegment(0xe1, latin1('<?xpacket begin=""?><x:xmpmeta xmlns:x="ns"/>'))],
  ['JPEG with a second picture behind it', after(jpeg, jpeg)],
  ['JPEG with a film behind it', after(jpeg, '\0\0\0\x18ftypmp42', Buffer.alloc(100_000, 7))],
  ['JPEG with zeros behind it', after(jpeg, Buffer.alloc(4096))],
  ['PNG with a newline behind it', after(png, '\n')],
  ['PDF with zeros behind it', after(pdf, Buffer.alloc(4096))],
  ['PDF with an update', after(pdf, '\nxref\ntrailer\nstartxref\n9\n%%EOF\r\n')],
  ['PDF with pictures', after(pdf, jpeg, png, gif, '\nstartxref\n9\n%%EOF\n')],
  ['PDF that speaks of HTML', after(latin1('%PDF-1.7\n% The <html> and <script> tags\n'), pdf)],
  ['GIF with a comment', gifWithComment('Made with the /* of = <b>')],
  ['JPEG with what looks like the end of an archive', after(jpeg, 'PK\x05\x06', Buffer.alloc(40))],
])('a file has only one kind: %s', (_, bytes) => {
  expect(readStructure(bytes)).toMatchObject({ isWhole: true, alsoIs: undefined })
})

test('a file of another kind has no structure', () => {
  expect(readStructure(aZip())).toEqual({
    bytes: 100,
    mediaType: undefined,
    isWhole: false,
    alsoIs: undefined,
  })
})
