import { PDFDocument } from 'pdf-lib'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { isRejectedByChecks, makeSampleLetters, type SampleLetter } from './sample-letters.ts'

let letters: SampleLetter[]
beforeAll(async () => {
  let made = 0
  letters = await makeSampleLetters(() => `id-${++made}`)
})

test('there is a letter for each kind of address, and one for each way of going wrong', () => {
  expect(
    letters.map(({ id, addressKind, onTheFloor, expected }) => [
      id,
      addressKind,
      onTheFloor?.outcome ?? 'print',
      expected.status,
    ]),
  ).toEqual([
    ['id-1', 'structured', 'print', 'DESPATCHED'],
    ['id-2', 'unstructured', 'print', 'DESPATCHED'],
    ['id-3', 'BFPO', 'print', 'DESPATCHED'],
    ['id-4', 'international', 'print', 'DESPATCHED'],
    ['id-5', 'unstructured', 'print', 'REJECTED'],
    ['id-6', 'unstructured', 'spoil', 'DESPATCHED'],
    ['id-7', 'structured', 'refuse', 'REJECTED'],
  ])
})

test('only the letter with the landscape page is rejected by the checks', () => {
  expect(letters.filter(isRejectedByChecks).map(({ number }) => number)).toEqual([5])
})

test('the uploaded PDF has the stated number of pages', async () => {
  const { bytes, pages } = letters[0]!.upload!
  expect((await PDFDocument.load(bytes)).getPageCount()).toBe(pages)
  expect(pages).toBe(3)
})

test.each([
  { number: 2, format: 'png' },
  { number: 3, format: 'tiff' },
])('letter $number holds a picture that is $format', async ({ number, format }) => {
  expect((await sharp(inlineFile(number)).metadata()).format).toBe(format)
})

test.each([
  { number: 4, sizes: ['portrait', 'portrait'] },
  { number: 5, sizes: ['portrait', 'landscape'] },
])('the pages of letter $number are $sizes', async ({ number, sizes }) => {
  const document = await PDFDocument.load(inlineFile(number))
  const found = document.getPages().map((page) => {
    const { width, height } = page.getSize()
    return width < height ? 'portrait' : 'landscape'
  })
  expect(found).toEqual(sizes)
})

function inlineFile(number: number): Buffer {
  return Buffer.from(letters[number - 1]!.inline!.value, 'base64')
}
