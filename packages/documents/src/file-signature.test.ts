import { describe, expect, test } from 'vitest'
import { detectMediaType } from './file-signature.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

describe('the first bytes of a file identify its kind', () => {
  test.each([
    ['application/pdf', latin1('%PDF-1.7\n')],
    ['image/gif', latin1('GIF87a')],
    ['image/gif', latin1('GIF89a')],
    ['image/png', latin1('\x89PNG\r\n\x1a\n')],
    ['image/jpeg', latin1('\xff\xd8\xff\xe0')],
    ['image/tiff', latin1('II*\0')],
    ['image/tiff', latin1('MM\0*')],
    ['image/tiff', latin1('II+\0')],
    ['image/tiff', latin1('MM\0+')],
  ])('%s', (mediaType, bytes) => {
    expect(detectMediaType(bytes)).toBe(mediaType)
    expect(detectMediaType(bytes.subarray(0, 2))).toBeUndefined()
    expect(detectMediaType(Buffer.concat([latin1(' '), bytes]))).toBeUndefined()
  })

  test.each([
    ['nothing', ''],
    ['text', 'Dear Sir or Madam'],
    ['a PDF without its hyphen', '%PDF 1.7'],
    ['GIF of another year', 'GIF88a'],
    ['a zip', 'PK\x03\x04'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['WebP', 'RIFF\0\0\0\0WEBPVP8 '],
  ])('but not for %s', (_, text) => {
    expect(detectMediaType(latin1(text))).toBeUndefined()
  })
})

describe('the letters BM identify a BMP only with a valid header', () => {
  const header = ({ fileBytes = 100, reserved = 0, pixelsAt = 54, infoHeaderBytes = 40 }) => {
    const bytes = Buffer.alloc(100)
    bytes.write('BM')
    bytes.writeUInt32LE(fileBytes, 2)
    bytes.writeUInt32LE(reserved, 6)
    bytes.writeUInt32LE(pixelsAt, 10)
    bytes.writeUInt32LE(infoHeaderBytes, 14)
    return bytes
  }

  test.each([
    ['usual', header({})],
    ['oldest', header({ infoHeaderBytes: 12, pixelsAt: 26 })],
    ['newest', header({ infoHeaderBytes: 124, pixelsAt: 138 })],
    ['wrong size, nothing reserved', header({ fileBytes: 0 })],
    ['right size, something reserved', header({ reserved: 7 })],
  ])('%s', (_, bytes) => {
    expect(detectMediaType(bytes)).toBe('image/bmp')
  })

  test.each([
    ['unknown info header', header({ infoHeaderBytes: 41 })],
    ['pixels inside the header', header({ pixelsAt: 53 })],
    ['wrong size and something reserved', header({ fileBytes: 99, reserved: 7 })],
    ['too short', header({}).subarray(0, 25)],
    ['text', latin1('BMW 320d, registered in Swansea')],
  ])('but not with: %s', (_, bytes) => {
    expect(detectMediaType(bytes)).toBeUndefined()
  })
})
