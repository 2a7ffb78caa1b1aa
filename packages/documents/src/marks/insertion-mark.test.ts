import { degrees, PDFDocument, PDFName, PDFNumber, type PDFPage } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { aLetter, composedPdf } from '../../test/letters.ts'
import { pagePicture, pageText } from '../../test/page-picture.ts'
import { readDataMatrix } from '../../test/read-barcodes.ts'
import { aPdf } from '../../test/sample-files.ts'
import { composeLetter } from '../compose-letter.ts'

const a4: [number, number] = [595.28, 841.89]
const fivePages = await aPdf(a4, a4, a4, a4, a4)

const asFile = (bytes: Uint8Array) =>
  ({ fileId: 'a', mediaType: 'application/pdf', bytes }) as const

/** Reads the mark in the reserved strip of a page, and nothing outside the strip. */
async function readMark(pdf: Uint8Array, page: number, pixelsPerInch = 300) {
  const part = { x: 5, y: 277, width: 10, height: 15 }
  return readDataMatrix(await pagePicture(pdf, page, { pixelsPerInch, part }))
}

async function readMarks(pdf: Uint8Array) {
  const pages = (await PDFDocument.load(pdf)).getPageCount()
  const marks: string[][] = []
  for (let page = 1; page <= pages; page++) marks.push(await readMark(pdf, page))
  return marks
}

describe('the mark on the front of each sheet has the document, the sheet and the number of sheets', () => {
  test('in duplex: on odd pages', async () => {
    const pdf = await composedPdf({ pages: [asFile(fivePages)] })
    expect(await readMarks(pdf)).toEqual([
      ['D100001/1/3'],
      [],
      ['D100001/2/3'],
      [],
      ['D100001/3/3'],
      [],
    ])
  })

  test('in simplex: on every page', async () => {
    const pages = [asFile(await aPdf(a4, a4))]
    const pdf = await composedPdf({ pages, plex: 'simplex' })
    expect(await readMarks(pdf)).toEqual([['D100001/1/3'], ['D100001/2/3'], ['D100001/3/3']])
  })

  test('also as readable text, below the mark', async () => {
    const text = await pageText(await composedPdf(), 1)
    expect(text.split(/\s+/)).toEqual(expect.arrayContaining(['D100001', '1/1']))
  })

  test.each([
    ['D1'],
    ['D999999999999'],
    ['4b3c9a1e-0f6d-4c3e-9d41-7f5b8a2c6e10'],
    ['x'.repeat(40)],
  ])('with any document id: %s', async (documentId) => {
    const pdf = await composedPdf({ documentId })
    expect(await readMark(pdf, 1, 600)).toEqual([`${documentId}/1/1`])
  })

  test.each([150, 200, 300, 600])('at %d pixels to the inch', async (pixelsPerInch) => {
    expect(await readMark(await composedPdf(), 1, pixelsPerInch)).toEqual(['D100001/1/1'])
  })
})

test.each([[{ marks: false }], [{ documentId: undefined }]])(
  'a letter without marks has no insertion mark: %j',
  async (change) => {
    const pdf = await composedPdf(change)
    expect(await readMark(pdf, 1)).toEqual([])
    expect(await pageText(pdf, 1)).not.toContain('1/1')
  },
)

test('the mark is 8 mm wide with a blank margin of one millimetre, including the text below', async () => {
  const pixelsPerInch = 600
  const part = { x: 4, y: 276, width: 12, height: 17 }
  const strip = await pagePicture(await composedPdf(), 1, { pixelsPerInch, part })
  const ink = [...strip.grey.entries()].filter(([, grey]) => grey < 128).map(([index]) => index)
  const millimetres = (pixels: number) => Math.round((pixels * 254) / pixelsPerInch) / 10
  const columns = ink.map((index) => index % strip.width)
  const rows = ink.map((index) => Math.floor(index / strip.width))

  expect([Math.min(...columns), Math.max(...columns) + 1].map(millimetres)).toEqual([2, 10])
  expect(millimetres(Math.min(...rows))).toBe(2)
  expect(millimetres(Math.max(...rows))).toBeLessThan(16)
  const below = rows.filter((row) => millimetres(row) > 10.1).map(millimetres)
  expect(Math.min(...below)).toBeGreaterThan(11)
})

test('marks and barcode are drawn as vectors, not as pictures', async () => {
  const document = await PDFDocument.load(await composedPdf())
  const images = document.context
    .enumerateIndirectObjects()
    .filter(([, object]) => String(object).includes('/Subtype /Image'))
  expect(images).toEqual([])
})

describe('a page of a file is marked in its reading direction', () => {
  const marked = async (change: (page: PDFPage) => void, size = a4) => {
    const source = await PDFDocument.create()
    const page = source.addPage(size)
    page.drawRectangle({ x: 300, y: 300, width: 100, height: 100 })
    change(page)
    const pages = [asFile(await source.save())]
    return composedPdf({ pages, plex: 'simplex' })
  }
  const sideways: [number, number] = [a4[1], a4[0]]

  test.each<[string, (page: PDFPage) => void, [number, number]?]>([
    ['turned by 90 degrees', (page) => page.setRotation(degrees(90)), sideways],
    ['turned by 180 degrees', (page) => page.setRotation(degrees(180))],
    ['turned by 270 degrees', (page) => page.setRotation(degrees(270)), sideways],
    ['turned by -90 degrees', (page) => page.setRotation(degrees(-90)), sideways],
    ['cropped to A4', (page) => page.setCropBox(100, 50, ...a4), [800, 1000]],
    [
      'cropped and turned',
      (page) => {
        page.setCropBox(100, 50, ...sideways)
        page.setRotation(degrees(90))
      },
      [1100, 900],
    ],
    ['with an origin elsewhere', (page) => page.setMediaBox(-200, 300, ...a4)],
    ['2 mm taller', (page) => page.setSize(a4[0], a4[1] + 5.6)],
    ['2 mm smaller', (page) => page.setSize(a4[0], a4[1] - 5.6)],
    [
      'turned and 2 mm smaller',
      (page) => {
        page.setSize(a4[1] - 5.6, a4[0])
        page.setRotation(degrees(270))
      },
    ],
    [
      'that leaves its graphics state behind',
      (page) => {
        page.node.addContentStream(
          page.doc.context.register(
            page.doc.context.stream('q 3 0 0 3 50 50 cm 1 0 0 RG 0 0 1 1 re W n BT 3 Tr (an open'),
          ),
        )
      },
    ],
    [
      'with a content that is one packed stream',
      (page) =>
        page.node.set(
          PDFName.of('Contents'),
          page.doc.context.register(page.doc.context.flateStream('0.5 g 300 300 50 50 re f q')),
        ),
    ],
    [
      'in a unit of its own',
      (page) => page.node.set(PDFName.of('UserUnit'), PDFNumber.of(2)),
      [a4[0] / 2, a4[1] / 2],
    ],
    ['without content', (page) => page.node.delete(PDFName.of('Contents'))],
  ])('%s', async (_, change, size) => {
    expect(await readMark(await marked(change, size), 2)).toEqual(['D100001/2/2'])
  })

  test('and its content does not change', async () => {
    const source = await aPdf(a4)
    const before = await pagePicture(source, 1, { pixelsPerInch: 72 })
    const pdf = await composedPdf({ pages: [asFile(source)], plex: 'simplex' })
    const after = await pagePicture(pdf, 2, { pixelsPerInch: 72 })
    const aboveMark = before.width * 780

    expect(before.grey.subarray(0, aboveMark).some((grey) => grey < 128)).toBe(true)
    expect(after.grey.subarray(0, aboveMark)).toEqual(before.grey.subarray(0, aboveMark))
  })
})

test('a page with unreadable content refuses the letter', async () => {
  const source = await PDFDocument.create()
  const page = source.addPage(a4)
  const { context } = source
  const broken = context.register(context.stream('no code', { Filter: 'JBIG2Decode' }))
  page.node.set(PDFName.of('Contents'), context.obj([broken, broken]))

  expect(
    await composeLetter({ ...aLetter, plex: 'simplex', pages: [asFile(await source.save())] }),
  ).toMatchObject({
    kind: 'refused',
    findings: [{ rule: 'pdf-damaged', severity: 'refusal', page: 2 }],
  })
})
