import { constants, deflateSync } from 'node:zlib'
import { byEffort } from '@despatch/testing/effort'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import type { LetterFile } from '../src/compose-letter.ts'
import { annotated, stampedPdfs, stampPlace, unfilled, unstampedPdfs } from './annotated-pdfs.ts'
import { readCase } from './cases.ts'
import { composedPdf } from './letters.ts'
import { otherRenderers, type PageRenderer, proofRenderer } from './other-renderers.ts'
import { type PagePicture, pageText } from './page-picture.ts'
import { readDataMatrix } from './read-barcodes.ts'
import { writePdf } from './write-pdf.ts'

/** The other renderers take three times as long, and only the full loop has time for them. */
const renderers: readonly PageRenderer[] = byEffort({
  landing: [proofRenderer],
  full: [proofRenderer, ...otherRenderers()],
})
const dotsPerInch = 72
const dotsPerInchOfMarks = 200
/** The place of our insertion mark, in dots from the top left. */
const mark = { left: 14, top: 785, right: 43, bottom: 828 }
const darkBelow = 128

const asFile = (bytes: Uint8Array, fileId = 'a'): LetterFile => ({
  fileId,
  mediaType: 'application/pdf',
  bytes,
})

/** Returns the letter of a file, with its address page first and a mark on each page. */
function composed(...files: Uint8Array[]): Promise<Uint8Array> {
  return composedPdf({
    pages: files.map((bytes, index) => asFile(bytes, `file${index}`)),
    plex: 'simplex',
  })
}

/** Returns the share of dots, outside our mark, that one picture shows and the other does not, in thousandths. */
function difference(one: PagePicture, other: PagePicture): number {
  expect([other.width, other.height]).toEqual([one.width, one.height])
  let differing = 0
  for (let at = 0; at < one.grey.length; at++) {
    const [x, y] = [at % one.width, Math.floor(at / one.width)]
    const isOurs = x >= mark.left && x < mark.right && y >= mark.top && y < mark.bottom
    if (!isOurs && Math.abs(one.grey[at]! - other.grey[at]!) > 64) differing += 1
  }
  return (1000 * differing) / one.grey.length
}

/** Returns the share of dark dots of a part of A4, in points from the bottom left. */
function darkness(
  { width, height, grey }: PagePicture,
  [left, bottom, right, top]: readonly [number, number, number, number],
): number {
  let dark = 0
  let all = 0
  for (let y = Math.ceil(height - top); y < height - bottom; y++) {
    for (let x = Math.ceil(left); x < right; x++) {
      all += 1
      if (grey[y * width + x]! < darkBelow) dark += 1
    }
  }
  return dark / all
}

/** Expects that the pages of a letter after its address page show what the pages of its file show. */
async function expectAlike(
  { render }: Pick<PageRenderer, 'render'>,
  { source, letter, name }: { source: Uint8Array; letter: readonly PagePicture[]; name: string },
): Promise<void> {
  const before = await render(source, dotsPerInch, name)
  expect(letter).toHaveLength(before.length + 1)
  for (const [index, page] of before.entries()) {
    expect(difference(page, letter[index + 1]!)).toBeLessThanOrEqual(1)
  }
}

const inner = ([left, bottom, right, top]: readonly [number, number, number, number]) =>
  [left + 2, bottom + 2, right - 2, top - 2] as const

const square = Buffer.from('100 300 200 200 re f')

const untypedPage = aPage('/MediaBox[0 0 595 842]').replace('/Type/Page', '')

const alike: Readonly<Record<string, () => Uint8Array>> = {
  'fields that inherit their kind and value': () => readCase('form-inherited-type.pdf'),
  'a field and its widget in one': () => readCase('form-merged-field.pdf'),
  'a layer of an annotation that is off': () => readCase('layer-annot-off.pdf'),
  'a layer that is off unless it is on': () => readCase('layer-basestate-off.pdf'),
  'a layer that shows while another is off': () => readCase('layer-ocmd.pdf'),
  'a layer that does not end': () => readCase('mark-layeropen.pdf'),
  'a crop box of A4 in larger paper': () => cropped(),
  'content that is only flushed, as Acrobat writes it': () =>
    withCompressed(deflateSync(square, { finishFlush: constants.Z_SYNC_FLUSH })),
  'the words that end a stream in its text': () =>
    writePdf({
      content: { data: `% endstream is behind it\n${square}`, length: '10 0 R' },
      objects: { 10: '45' },
    }),
  'a catalogue and pages without their types': () =>
    writePdf({
      content: { data: square.toString() },
      objects: { 1: '<</Pages 2 0 R>>', 2: '<</Kids[3 0 R]/Count 1>>', 3: untypedPage },
    }),
  'corners of the paper in another order': () =>
    writePdf({ objects: { 3: aPage('/MediaBox[595 842 0 0]') } }),
}

describe.each(renderers)('$name', ({ render }) => {
  test.each(Object.entries(alike))(
    'the letter shows what the file shows of %s',
    async (name, make) => {
      const source = make()
      const letter = await render(await composed(source), dotsPerInch, name)

      await expectAlike({ render }, { source, letter, name })
    },
  )

  test.each(Object.entries(stampedPdfs))(
    'the letter prints %s as the file shows it',
    async (name, make) => {
      const source = make()
      const letter = await render(await composed(source), dotsPerInch, name)
      const page = letter[1]

      await expectAlike({ render }, { source, letter, name })
      expect(darkness(page!, inner(stampPlace))).toBe(1)
      expect(darkness(page!, [60, 200, 540, 395])).toBe(0)
      expect(darkness(page!, [205, 300, 540, 600])).toBe(0)
      expect(darkness(page!, [72, 695, 200, 715])).toBeGreaterThan(0.05)
    },
  )

  test.each(Object.entries(unstampedPdfs))('leaves out %s', async (name, make) => {
    const source = make()
    const letter = await render(await composed(source), dotsPerInch, name)

    await expectAlike({ render }, { source, letter, name })
    expect(darkness(letter[1]!, stampPlace)).toBe(0)
  })

  test('leaves out a popup', async () => {
    const popup = annotated(flagged(4).replace('Stamp', 'Popup'))
    const [, page] = await render(await composed(popup), dotsPerInch)

    expect(darkness(page!, stampPlace)).toBe(0)
  })

  test('leaves out an annotation for screens, and prints an annotation for paper', async () => {
    const screen = annotated(flagged(0))
    const paper = annotated(flagged(4 + 32))
    const pages = await render(await composed(screen, paper), dotsPerInch)

    expect(pages.slice(1).map((page) => darkness(page, inner(stampPlace)))).toEqual([0, 1])
  })

  test('prints an annotation upright if it does not turn with its page', async () => {
    // at the left upper corner of its place, which is 400 from the left and 100 from the top of the page as it is read
    const source = annotated(flagged(4 + 16), { page: '/Rotate 90' })
    const [, page] = await render(await composed(source), dotsPerInch)
    const fromTop = page!.height - 100

    expect(darkness(page!, [452, fromTop - 48, 548, fromTop - 2])).toBe(1)
    expect(darkness(page!, [402, fromTop - 98, 448, fromTop - 2])).toBe(0)
  })

  test.each([
    ['a text', '/FT/Tx/V(WWWWWW)', ''],
    ['a text in a comb', '/FT/Tx/Ff 16777216/MaxLen 8/V(WWWWWW)', ''],
    ['a text of several lines', '/FT/Tx/Ff 4096/V(WWWW\\nWWWW)', ''],
    ['an option', '/FT/Ch/Ff 131072/V(w)/Opt[[(w)(WWWWWW)][(i)(i)]]', ''],
    ['a list of options', '/FT/Ch/V(WWWWWW)/Opt[(WWWWWW)(WWW)]', ''],
    ['a tick', '/FT/Btn/AS/Yes/MK<</BC[0]>>', ''],
    ['a round tick', '/FT/Btn/Ff 32768/AS/Yes/MK<</BC[0]>>', ''],
    ['an empty field with a background', '/FT/Tx/MK<</BG[0]>>', '/NeedAppearances true'],
  ])('prints %s that the file does not draw', async (name, field, settings) => {
    const [, page] = await render(await composed(unfilled(field, settings)), dotsPerInch, name)

    expect(darkness(page!, stampPlace)).toBeGreaterThan(0.02)
    expect(darkness(page!, [60, 200, 540, 395])).toBe(0)
  })

  test.each(['form-need-appearances', 'form-need-appearances-stale'])(
    'prints the value of %s',
    async (name) => {
      const [, page] = await render(await composed(readCase(`${name}.pdf`)), dotsPerInch, name)

      expect(darkness(page!, [72, 640, 200, 664])).toBeGreaterThan(0.05)
    },
  )

  test('hides layers of the same name in several files', async () => {
    const names = ['layer-basestate-off', 'layer-annot-off', 'layer-ocmd', 'layer-basestate-off']
    const files = names.map((name) => readCase(`${name}.pdf`))
    const [, ...pages] = await render(await composed(...files), dotsPerInch, names.join())

    const shown = pages.map((page) => darkness(page, [80, 510, 260, 570]))
    expect(shown).toEqual([0, 0, 1, 0])
    expect(darkness(pages[1]!, [72, 590, 300, 660])).toBe(0)
  })

  test.each([
    ['a page', () => readCase('mark-layeropen.pdf'), 2],
    ['a form', unendedForm, 1],
    ['a page of several streams', unendedStreams, 1],
  ])('shows our mark above an unclosed layer of %s', async (name, make, pages) => {
    const letter = await render(await composed(make()), dotsPerInchOfMarks, name)

    const marks = await Promise.all(letter.map((page) => readDataMatrix(partAtMark(page))))
    expect(marks).toEqual(
      Array.from({ length: pages + 1 }, (_, index) => [`D100001/${index + 1}/${pages + 1}`]),
    )
  })

  test('prints a page with its own user unit on A4', async () => {
    const [, page] = await render(await composed(inUnitsOfTwo()), dotsPerInch)

    expect([page!.width, page!.height]).toEqual([595, 842])
    expect(darkness(page!, [102, 402, 198, 498])).toBe(1)
    expect(darkness(page!, [0, 0, 590, 395])).toBeLessThan(0.01)
  })

  test('prints the content of the crop box, on paper of its size', async () => {
    const [, page] = await render(await composed(cropped()), dotsPerInch)

    expect([page!.width, page!.height]).toEqual([595, 842])
    expect(darkness(page!, [0, 0, 40, 40])).toBe(1)
    expect(darkness(page!, [60, 100, 595, 842])).toBe(0)
  })
})

test('the text of fields is text in the letter', async () => {
  const texts = await Promise.all(
    [
      readCase('form-inherited-type.pdf'),
      readCase('form-merged-field.pdf'),
      readCase('form-need-appearances.pdf'),
      readCase('form-need-appearances-stale.pdf'),
      unfilled('/FT/Ch/Ff 131072/V(w)/Opt[[(w)(Second choice)]]'),
    ].map(async (source) => pageText(await composed(source), 2)),
  )

  expect(texts).toEqual([
    expect.stringContaining('1,234.56 pounds'),
    expect.stringContaining('VALUE 1'),
    expect.stringContaining('REFERENCE 12345678'),
    expect.stringContaining('REFERENCE 12345678'),
    expect.stringContaining('Second choice'),
  ])
})

test('no box of a page differs from its paper, and no user unit remains', async () => {
  for (const source of [cropped(), inUnitsOfTwo()]) {
    const page = (await PDFDocument.load(await composed(source))).getPage(1)
    const boxes = [page.getMediaBox(), page.getCropBox(), page.getTrimBox(), page.getBleedBox()]
    expect(boxes).toEqual(boxes.map(() => boxes[0]))
    expect(page.node.toString()).not.toContain('UserUnit')
  }
})

test('equal files with fields give equal bytes', async () => {
  const source = readCase('form-need-appearances.pdf')

  expect(Buffer.compare(await composed(source), await composed(source))).toBe(0)
})

function flagged(flags: number): string {
  return `<</Type/Annot/Subtype/Stamp/F ${flags}/Rect[${stampPlace.join(' ')}]/AP<</N 10 0 R>>>>`
}

function partAtMark({ width, height, grey }: PagePicture): PagePicture {
  const dots = (millimetres: number) => Math.round((millimetres * dotsPerInchOfMarks) / 25.4)
  const [left, top] = [dots(4), Math.min(dots(276), height)]
  const [across, down] = [dots(12), height - top]
  const part = new Uint8Array(across * down)
  for (let y = 0; y < down; y++) {
    const from = (top + y) * width + left
    part.set(grey.subarray(from, from + across), y * across)
  }
  return { width: across, height: down, grey: part }
}

function aPage(entries: string): string {
  return `<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 5 0 R>>/Properties<</L 20 0 R>>/XObject<</X 21 0 R>>>>/Contents 4 0 R${entries}>>`
}

const hiddenLayer = {
  catalog: '/OCProperties<</OCGs[20 0 R]/D<</OFF[20 0 R]>>>>',
  objects: { 20: '<</Type/OCG/Name(Hidden)>>' },
}

function unendedForm(): Uint8Array {
  return writePdf({
    ...hiddenLayer,
    content: { data: '/X Do' },
    objects: {
      ...hiddenLayer.objects,
      3: aPage('/MediaBox[0 0 595 842]'),
      21: {
        dictionary:
          '/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Properties<</L 20 0 R>>>>',
        data: '/OC /L BDC 100 100 50 50 re f',
      },
    },
  })
}

function unendedStreams(): Uint8Array {
  return writePdf({
    ...hiddenLayer,
    content: { data: '/Artifact BMC /OC /L BDC 100 100 50 50 re f' },
    objects: {
      ...hiddenLayer.objects,
      3: aPage('/MediaBox[0 0 595 842]').replace('4 0 R', '[4 0 R 22 0 R]'),
      22: { data: '/Span BMC EMC' },
    },
  })
}

/** A page of 297.5 × 421 units, each two points, with a square of 100 points. */
function inUnitsOfTwo(): Uint8Array {
  return writePdf({
    content: { data: '50 200 50 50 re f' },
    objects: { 3: aPage('/MediaBox[0 0 297.5 421]/UserUnit 2/TrimBox[9 9 99 99]') },
  })
}

function withCompressed(data: Uint8Array): Uint8Array {
  return writePdf({ content: { dictionary: '/Filter/FlateDecode', data } })
}

/** A square reaches over the lower left corner of the crop box. */
function cropped(): Uint8Array {
  return writePdf({
    content: { data: '20 20 80 70 re f 800 900 50 50 re f' },
    objects: { 3: aPage('/MediaBox[0 0 700 942]/CropBox[50 40 645 882]/TrimBox[60 50 600 800]') },
  })
}
