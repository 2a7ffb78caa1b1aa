import { randomBytes } from 'node:crypto'
import { byEffort } from '@despatch/testing/effort'
import { readText } from '@despatch/testing/read-text'
import { watchObjects } from '@despatch/testing/watch-objects'
import { PDFDocument, PDFName, PDFRef } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { stampedPdfs } from '../../test/annotated-pdfs.ts'
import { harmlessPdfs } from '../../test/harmless-pdfs.ts'
import { composedPdf } from '../../test/letters.ts'
import { mergeDocuments } from '../../test/merge-documents.ts'
import { pagePicture, pageText } from '../../test/page-picture.ts'
import { aPdf } from '../../test/sample-files.ts'
import { packPdf, updatePdf, writePdf } from '../../test/write-pdf.ts'
import { inspectPdf } from '../pdf-safety/inspect-pdf.ts'
import { createPrintStream } from './print-stream.ts'
import { makePrintStreamPart } from './print-stream-part.ts'

const pixelsPerInch = 24

function aLetter(text: string): Uint8Array {
  return writePdf({ content: { data: `BT /F1 12 Tf 72 700 Td (${text}) Tj ET` } })
}

const textOf = (pdf: Uint8Array) => Buffer.from(pdf).toString('latin1')

async function look(pdf: Uint8Array, page: number) {
  return { text: await pageText(pdf, page), ...(await pagePicture(pdf, page, { pixelsPerInch })) }
}

/** The text of a field becomes text of its page. */
const textsOfFields: Readonly<Record<string, string>> = { 'a form without scripts': 'Ann' }

test('the pages of any document look and read the same in a print stream', async () => {
  const sources = Object.entries({
    ...(await harmlessPdfs()),
    'a letter of ours': await composedPdf(),
    'several sizes': await aPdf([595, 842], [842, 595], [420, 595]),
    'a page that is turned, by its tree': writePdf({ pages: '/Rotate 90' }),
    'resources of the page tree': inheriting('/Resources<</Font<</F1 5 0 R>>>>'),
    'resources of the page tree by reference': inheriting('/Resources 10 0 R', {
      10: '<</Font<</F1 5 0 R>>>>',
    }),
    'objects packed into a stream': packPdf({ content: { data: 'q 9 9 90 90 re f Q' } }),
    'an update that replaces the content': updatePdf(aLetter('Before'), {
      objects: { 4: { data: 'BT /F1 12 Tf 72 700 Td (After) Tj ET' } },
    }),
    'a layer that is off': layered('/OFF[10 0 R]'),
    'layers that are off unless they are on': layered('/BaseState/OFF/ON[]'),
    'a layer that is on': layered('/ON[10 0 R]'),
  })

  const { pdf, documentPages } = await mergeDocuments(sources.map(([, source]) => source))

  let page = 0
  for (const [index, [name, source]] of sources.entries()) {
    for (let own = 1; own <= documentPages[index]!; own++) {
      page += 1
      const seen = await look(source, own)
      const text = textsOfFields[name] ?? seen.text
      expect({ name, own, ...(await look(pdf, page)) }).toEqual({ name, own, ...seen, text })
    }
  }
  expect((await PDFDocument.load(pdf)).getPageCount()).toBe(page)
})

function inheriting(pages: string, objects: Record<number, string> = {}): Uint8Array {
  const inherited = {
    3: '<</Type/Page/Parent 2 0 R/Contents 4 0 R>>',
    2: `<</Type/Pages/Kids[3 0 R 11 0 R]/Count 2/MediaBox[0 0 595 842]${pages}>>`,
    11: '<</Type/Page/Parent 2 0 R/Contents 4 0 R>>',
  }
  return writePdf({ objects: { ...inherited, ...objects } })
}

function layered(says: string): Uint8Array {
  return writePdf({
    catalog: `/OCProperties<</OCGs[10 0 R]/D<<${says}>>>>`,
    content: { data: '/OC /L1 BDC 100 100 300 300 re f EMC BT /F1 12 Tf 72 700 Td (Seen) Tj ET' },
    objects: {
      3: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595.28 841.89]/Resources<</Font<</F1 5 0 R>>/Properties<</L1 10 0 R>>>>/Contents 4 0 R>>',
      10: '<</Type/OCG/Name(Same name)>>',
    },
  })
}

test('a print stream passes the inspection of uploaded PDFs, and its table has the offset of each object', async () => {
  const { pdf } = await mergeDocuments([await composedPdf(), aLetter('One'), packPdf()])

  expect(await inspectPdf(pdf)).toMatchObject({ findings: [], pages: 3 })
  const text = textOf(pdf)
  const [, lines] = text.match(/xref\n0 \d+\n0000000000 65535 f \n([\s\S]*)trailer/)!
  const places = lines!
    .trimEnd()
    .split('\n')
    .map((line) => Number(line.slice(0, 10)))
  const found = places.map((place) => Number(text.slice(place).match(/^(\d+) 0 obj\n/)?.[1]))
  expect(found).toEqual(places.map((_, index) => index + 1))
  expect(text).toContain(`startxref\n${text.indexOf('xref\n0 ')}\n%%EOF`)
})

test('equal documents give equal bytes, in parts of any size', async () => {
  const documents = [await composedPdf(), aLetter('One'), packPdf(), await composedPdf()]

  const one = await mergeDocuments(documents, { at: 1 })
  const again = await mergeDocuments(documents, { at: 3 })

  expect(Buffer.compare(one.pdf, again.pdf)).toBe(0)
})

test('strings and names keep their spelling', async () => {
  const { pdf } = await mergeDocuments([
    writePdf({ page: '/Note(\\(a\\\\\\)\xe4\n)/Hex<00fF>/Name#20of 1.50' }),
  ])

  expect(textOf(pdf)).toContain('/Note (\\(a\\\\\\)\xe4\n)/Hex <00fF>/Name#20of 1.5')
})

describe('memory', () => {
  test('does not hold a document or its part once the part is added', async () => {
    const stream = createPrintStream({ name: 'test' })
    const buffers = watchObjects()
    const add = async () => {
      const document = writePdf({ content: { data: `% ${randomBytes(20_000).toString('hex')}` } })
      const task = { documents: [document], plex: 'duplex', place: stream.place() } as const
      const part = await makePrintStreamPart(task)
      stream.add(part)
      buffers.add(document.buffer)
      buffers.add(part.bytes.buffer)
    }

    for (let done = 0; done < 10; done++) await add()

    expect(await buffers.countHeld()).toBe(0)
  })

  test('holds the hashes of 4,000 shared objects', async () => {
    const objects = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [10 + index, `<</Number ${index}>>`]),
    )
    const references = Object.keys(objects).map((number) => `${number} 0 R`)
    const document = writePdf({ page: `/All[${references.join(' ')}]`, objects })
    const stream = createPrintStream({ name: 'test' })

    stream.add(
      await makePrintStreamPart({ documents: [document], plex: 'simplex', place: stream.place() }),
    )

    const { known } = stream.place()
    expect(known.size).toBe(4_000)
    expect(Math.max(...[...known.keys()].map((hash) => hash.length))).toBeLessThan(100)
  })
})

describe('duplex', () => {
  test('adds an empty page of the same size after an odd number of pages', async () => {
    const odd = await aPdf([595, 842], [595, 842], [842, 595])
    const even = await aPdf([595, 842], [595, 842])

    const { pdf, documentPages } = await mergeDocuments([odd, even, odd], { plex: 'duplex' })

    const pages = (await PDFDocument.load(pdf)).getPages()
    expect(documentPages).toEqual([3, 2, 3])
    expect(pages.map((page) => page.getWidth())).toEqual([
      595, 595, 842, 842, 595, 595, 595, 595, 842, 842,
    ])
    expect(new Set((await pagePicture(pdf, 4, { pixelsPerInch })).grey)).toEqual(new Set([255]))
  })

  test('turns the empty page like the page before it', async () => {
    const { pdf } = await mergeDocuments([writePdf({ pages: '/Rotate 90' })], { plex: 'duplex' })

    const pages = (await PDFDocument.load(pdf)).getPages()
    expect(pages.map((page) => page.getRotation().angle)).toEqual([90, 90])
  })

  test('is off in simplex, which adds no page', async () => {
    const { pdf } = await mergeDocuments([aLetter('One')], { plex: 'simplex' })

    expect((await PDFDocument.load(pdf)).getPageCount()).toBe(1)
  })
})

test('layers of two documents stay separate when they have the same name', async () => {
  const [hidden, shown] = [layered('/OFF[10 0 R]'), layered('/ON[10 0 R]')]

  const { pdf } = await mergeDocuments([hidden, shown, hidden])

  const inked = await Promise.all([1, 2, 3].map((page) => countInk(pdf, page)))
  expect(inked.map((pixels) => pixels > 5_000)).toEqual([false, true, false])
})

async function countInk(pdf: Uint8Array, page: number): Promise<number> {
  const { grey } = await pagePicture(pdf, page, { pixelsPerInch })
  return grey.filter((value) => value < 128).length
}

describe('an object that documents share', () => {
  test('is written once, over parts as within them', async () => {
    const logo = {
      dictionary: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]',
      data: '0 0 9 9 re f % logo',
    }
    const withLogo = (text: string) =>
      writePdf({
        content: { data: `BT /F1 12 Tf (${text}) Tj ET` },
        page: '/Logo 10 0 R',
        objects: { 10: logo },
      })

    const { pdf } = await mergeDocuments(['a', 'b', 'c', 'd', 'e'].map(withLogo), { at: 2 })

    const text = textOf(pdf)
    expect(text.match(/% logo/g)).toHaveLength(1)
    expect(text.match(/\/BaseFont\/Helvetica|\/BaseFont \/Helvetica/g)).toHaveLength(1)
    expect(text.match(/\/Type\/Page\/Parent/g)).toHaveLength(5)
  })

  test('may be the appearance of equal stamps, each of which is printed', async () => {
    const stamped = stampedPdfs['a stamp']!()

    const { pdf } = await mergeDocuments([stamped, stamped])

    const inked = await Promise.all([1, 2].map((page) => countInk(pdf, page)))
    const text = textOf(pdf)
    expect(inked.map((pixels) => pixels > 400)).toEqual([true, true])
    expect(text.match(/-500 -500 1000 1000 re/g)).toHaveLength(1)
    expect(text).not.toContain('/Annots')
  })
})

test('content that is not for printing is left out: outlines, information, links', async () => {
  const document = writePdf({
    catalog: '/Outlines 10 0 R/Metadata 10 0 R',
    page: '/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://www.example.com)>>>>]',
    trailer: '/Info 11 0 R',
    objects: { 10: '<</Type/Outlines/Secret(a)>>', 11: '<</Author(Secret)>>' },
  })

  const { pdf } = await mergeDocuments([document])

  expect(textOf(pdf)).not.toMatch(/Secret|example|Outlines/)
})

describe('objects that refer to each other are merged', () => {
  test('when they form a ring', async () => {
    const ringed = writePdf({
      page: '/Ring 10 0 R/Own 3 0 R',
      objects: {
        10: '<</Next 11 0 R/Self 10 0 R>>',
        11: '<</Next 10 0 R/Page 3 0 R/None 99 0 R>>',
      },
    })

    const { pdf } = await mergeDocuments([ringed, ringed])

    const { context } = await PDFDocument.load(pdf)
    const rings = context
      .enumerateIndirectObjects()
      .filter(([, object]) => /\/Self/.test(`${object}`))
    expect(rings.map(([ref, object]) => `${object}`.includes(`/Self ${ref}`))).toEqual([true, true])
    expect(await readText(pdf)).toEqual(['Dear Sir or Madam', 'Dear Sir or Madam'])
  })

  test('when they form a chain of many thousand', async () => {
    const links = byEffort({ landing: 20_000, full: 100_000 })
    const objects = Object.fromEntries(
      Array.from({ length: links }, (_, index) => [10 + index, `<</Next ${11 + index} 0 R>>`]),
    )

    const { pdf } = await mergeDocuments([writePdf({ page: '/Chain 10 0 R', objects })])

    expect(await readText(pdf)).toEqual(['Dear Sir or Madam'])
  })
})

describe('the page tree', () => {
  test.each([1, 100, 101, ...byEffort({ landing: [], full: [10_001] })])(
    'of %i pages has at most a hundred kids to a branch',
    async (count) => {
      const { pdf } = await mergeDocuments(Array(count).fill(writePdf()), { at: 500 })

      const document = await PDFDocument.load(pdf)
      const branches = document.context
        .enumerateIndirectObjects()
        .map(([, object]) => object.toString())
        .filter((text) => text.includes('/Type /Pages'))
      const kids = branches.map(
        (text) => text.match(/\d+ 0 R/g)!.length - (text.includes('/Parent') ? 1 : 0),
      )
      expect(Math.max(...kids)).toBe(Math.min(count, 100))
      expect(document.getPageCount()).toBe(count)
      expect(document.catalog.get(PDFName.of('Pages'))).toBeInstanceOf(PDFRef)
    },
  )
})

describe('no print stream is made of', () => {
  test.each([
    ['an encrypted document', () => encryptedPdf()],
    ['no PDF', () => Buffer.from('a letter')],
    ['a PDF that ends in the middle', () => writePdf().subarray(0, 200)],
    [
      'a PDF whose page tree is a ring',
      () => writePdf({ objects: { 2: '<</Type/Pages/Kids[2 0 R]/Count 1>>' } }),
    ],
    ['a PDF without pages', () => writePdf({ objects: { 2: '<</Type/Pages/Kids[]/Count 0>>' } })],
  ])('%s', async (_, source) => {
    await expect(mergeDocuments([aLetter('One'), source()])).rejects.toThrow()
  })

  test('no document at all', () => {
    expect(() => [...createPrintStream({ name: 'none' }).end()]).toThrow('a page at least')
  })
})

function encryptedPdf(): Uint8Array {
  return writePdf({
    trailer: `/Encrypt 10 0 R/ID[<${'00'.repeat(16)}><${'00'.repeat(16)}>]`,
    objects: {
      10: `<</Filter/Standard/V 1/R 2/P -4/O<${'00'.repeat(32)}>/U<${'00'.repeat(32)}>>>`,
    },
  })
}
