import { expect, test } from 'vitest'
import { aPicture } from '../../test/sample-files.ts'
import { jpegColourModel } from './jpeg-colour-model.ts'

const jpeg = await aPicture().jpeg().toBuffer()
const withFrameMarker = (marker: number) => {
  const changed = Buffer.from(jpeg)
  changed[changed.indexOf(Buffer.from([0xff, 0xc0])) + 1] = marker
  return changed
}

test.each([
  ['colour', jpeg, 'DeviceRGB'],
  ['progressive', await aPicture().jpeg({ progressive: true }).toBuffer(), 'DeviceRGB'],
  ['grey', await aPicture().toColourspace('b-w').jpeg().toBuffer(), 'DeviceGray'],
  ['four inks', await aPicture().toColourspace('cmyk').jpeg().toBuffer(), undefined],
  ['lossless', withFrameMarker(0xc3), undefined],
  ['arithmetic', withFrameMarker(0xc9), undefined],
  [
    'a fill byte before a marker',
    Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff]), jpeg.subarray(2)]),
    'DeviceRGB',
  ],
  ['cut in its header', jpeg.subarray(0, 30), undefined],
  ['nothing', Buffer.alloc(0), undefined],
])('%s', (_, bytes, colourModel) => {
  expect(jpegColourModel(bytes)).toBe(colourModel)
})
