import { degrees, PDFDocument, PDFName, PDFNumber } from 'pdf-lib'
import { expect, test } from 'vitest'
import { aPdf } from '../test/sample-files.ts'
import { composeSupplied } from './compose-supplied.ts'

const mm = (length: number) => (length * 72) / 25.4
const supply = (bytes: Uint8Array) =>
  composeSupplied({ file: { fileId: 'letter', mediaType: 'application/pdf', bytes } })

async function turned(width: number, height: number, angle: number): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.addPage([mm(width), mm(height)]).setRotation(degrees(angle))
  return document.save()
}

test('the bytes pass through unchanged, pages and sheets are counted', async () => {
  const a4: [number, number] = [595.28, 841.89]
  const pdf = await aPdf(a4, a4, a4)

  expect(await supply(pdf)).toEqual({ kind: 'composed', pdf, pages: 3, sheets: 2 })
  expect(
    await composeSupplied({
      file: { fileId: 'letter', mediaType: 'application/pdf', bytes: pdf },
      plex: 'simplex',
    }),
  ).toEqual({ kind: 'composed', pdf, pages: 3, sheets: 3 })
})

test.each([
  ['2 mm smaller', 208.1, 295.1, 0],
  ['2 mm larger', 211.9, 298.9, 0],
  ['upside down', 210, 297, 180],
  ['landscape, turned', 297, 210, 90],
  ['landscape, turned the other way', 297, 210, 270],
  ['landscape, turned by a negative angle', 297, 210, -90],
])('A4 portrait is accepted: %s', async (_, width, height, angle) => {
  expect(await supply(await turned(width, height, angle))).toMatchObject({ kind: 'composed' })
})

test.each([
  ['too narrow', 207.9, 297, 0],
  ['too tall', 210, 299.1, 0],
  ['landscape', 297, 210, 0],
  ['portrait, turned to landscape', 210, 297, 90],
  ['A5', 148, 210, 0],
  ['US Letter', 215.9, 279.4, 0],
])('another size is refused: %s', async (_, width, height, angle) => {
  expect(await supply(await turned(width, height, angle))).toEqual({
    kind: 'refused',
    fileId: 'letter',
    reason: 'Not A4 portrait (210 × 297 mm, give or take 2 mm): page 1.',
  })
})

test('the refusal names ten pages and counts the rest', async () => {
  const pdf = await aPdf([595.28, 841.89], ...Array<[number, number]>(12).fill([300, 300]))
  expect(await supply(pdf)).toMatchObject({
    reason:
      'Not A4 portrait (210 × 297 mm, give or take 2 mm): page 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more.',
  })
})

test('a page measured in other units is measured in them', async () => {
  const document = await PDFDocument.create()
  const page = document.addPage([mm(105), mm(148.5)])
  page.node.set(PDFName.of('UserUnit'), PDFNumber.of(2))
  expect(await supply(await document.save())).toMatchObject({ kind: 'composed' })
})

test('a page without a size is refused', async () => {
  const document = await PDFDocument.create()
  document.addPage().node.delete(PDFName.of('MediaBox'))
  expect(await supply(await document.save({ updateFieldAppearances: false }))).toEqual({
    kind: 'refused',
    fileId: 'letter',
    reason: 'The PDF has a page without a size.',
  })
})

test('what is not a PDF, or cannot be read, is refused', async () => {
  const bytes = Buffer.from('%PDF-1.7\n%%EOF')
  expect([
    await composeSupplied({ file: { fileId: 'a', mediaType: 'image/png', bytes } }),
    await composeSupplied({ file: { fileId: 'b', mediaType: 'application/pdf', bytes } }),
  ]).toEqual([
    { kind: 'refused', fileId: 'a', reason: 'The file is not a PDF.' },
    { kind: 'refused', fileId: 'b', reason: 'The PDF is damaged and cannot be read.' },
  ])
})
