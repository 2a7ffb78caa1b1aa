import { degrees, PDFDict, PDFDocument, PDFName } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { aLetter } from '../test/letters.ts'
import { pagePicture, pageText } from '../test/page-picture.ts'
import { readAddressPage } from '../test/read-letter.ts'
import { aBmp, aPdf, aPicture, aTiff } from '../test/sample-files.ts'
import { composeLetter, type LetterFile } from './compose-letter.ts'

const pdf = await aPdf()
const png = await aPicture().png().toBuffer()

const { documentId: _, ...letter } = aLetter
const { printableAddress } = letter

async function compose(change: Partial<Parameters<typeof composeLetter>[0]> = {}) {
  const composed = await composeLetter({ ...letter, ...change })
  if (composed.kind === 'refused') throw new Error(composed.reason)
  return composed
}

const open = (pdf: Uint8Array) => PDFDocument.load(pdf, { updateMetadata: false })

describe('the address page', () => {
  test('is one A4 page with the address and its barcode, under 11 kB', async () => {
    const { pdf, pages, sheets } = await compose()
    const page = (await open(pdf)).getPage(0)

    expect({ pages, sheets, size: page.getSize() }).toEqual({
      pages: 1,
      sheets: 1,
      size: { width: expect.closeTo(595.276), height: expect.closeTo(841.89) },
    })
    expect((await readAddressPage(pdf)).map(({ text }) => text)).toEqual([
      'Ms Ann Other',
      '27 ACACIA AVENUE',
      'SWINDON',
      'SN3 4RD',
    ])
    expect(pdf.length).toBeLessThan(11_000)
  })

  test('prints accents of Wales and central Europe, and Greek, under 25 kB', async () => {
    const lines = ['Siôn Šťastný Łódź Őr', '“Tŷ’r Ŵyn” – 1 €', 'Γιώργος Київ']
    const [recipientLine1, line1, line2] = lines as [string, string, string]
    const { pdf } = await compose({
      printableAddress: { recipientLine1, recipientLine2: '', line1, line2, dps: null },
    })
    expect((await readAddressPage(pdf)).map(({ text }) => text)).toEqual(lines)
    expect(pdf.length).toBeLessThan(25_000)
  })

  test('has the largest block inside the window, 24.6 to 120 mm by 39.5 to 66.3 mm', async () => {
    const wide = 'W'.repeat(45)
    const four = { line1: wide, line2: wide, line3: wide, line4: wide }
    const recipient = { recipientLine1: wide, recipientLine2: wide }
    const { pdf } = await compose({
      printableAddress: {
        ...recipient,
        ...four,
        line5: '—'.repeat(45),
        postcode: 'SA1 1AA',
        dps: null,
      },
      handlingInstruction: { ...four, line5: wide, line6: wide, line7: wide },
    })
    const lines = await readAddressPage(pdf)

    expect(lines).toHaveLength(15)
    const mm = (points: number) => (points * 25.4) / 72
    for (const { text, size, x, y, narrowed } of lines) {
      const emPerCharacter = text.startsWith('W') ? 0.93 : 1
      const right = x + (text.length * emPerCharacter * size * narrowed) / 100
      expect(mm(x)).toBeGreaterThan(24.6)
      expect(mm(right)).toBeLessThan(120)
      expect(297 - mm(y + size * 0.75)).toBeGreaterThan(39.5)
      expect(297 - mm(y - size * 0.25)).toBeLessThan(66.3)
    }
  })

  test('is refused when the typeface lacks a character, by the name of the line', async () => {
    expect(
      await composeLetter({ ...letter, printableAddress: { ...printableAddress, line1: '李 1' } }),
    ).toMatchObject({
      kind: 'refused',
      reason: 'Address line 1 has a character that cannot be printed, at position 1.',
      findings: [{ rule: 'address-character', severity: 'refusal' }],
    })
  })
})

describe('pages of files', () => {
  test('follow in the order of the files, one for each page or frame', async () => {
    const { pdf, pages, sheets } = await compose({
      pages: [
        { fileId: 'a', mediaType: 'application/pdf', bytes: await aPdf([300, 400], [420, 300]) },
        { fileId: 'b', mediaType: 'image/png', bytes: png },
        { fileId: 'c', mediaType: 'image/jpeg', bytes: await aPicture().jpeg().toBuffer() },
        { fileId: 'd', mediaType: 'image/gif', bytes: await aPicture().gif().toBuffer() },
        { fileId: 'e', mediaType: 'image/tiff', bytes: aTiff(3) },
        { fileId: 'f', mediaType: 'image/bmp', bytes: await aBmp() },
      ],
    })

    expect({ pages, sheets }).toEqual({ pages: 10, sheets: 5 })
    const sizes = (await open(pdf)).getPages().map((page) => Math.round(page.getWidth()))
    expect(sizes).toEqual([595, 300, 420, 595, 595, 595, 595, 595, 595, 595])
  })

  test('take a sheet each in simplex', async () => {
    const bytes = await aPdf([595, 842], [595, 842])
    const { pages, sheets } = await compose({
      pages: [{ fileId: 'a', mediaType: 'application/pdf', bytes }],
      plex: 'simplex',
    })
    expect({ pages, sheets }).toEqual({ pages: 3, sheets: 3 })
  })

  test.each([
    ['application/pdf', 'pdf-damaged', 'The PDF is not complete.'],
    ['image/png', 'image-damaged', 'The image is damaged or of a kind that cannot be read.'],
  ] as const)(
    'are not composed from a damaged %s, and the refusal names its fileId',
    async (mediaType, rule, reason) => {
      const bytes = Buffer.from('%PDF-1.7 and no more')
      expect(
        await composeLetter({ ...letter, pages: [{ fileId: 'scan', mediaType, bytes }] }),
      ).toEqual({
        kind: 'refused',
        fileId: 'scan',
        reason,
        findings: [{ rule, severity: 'refusal', fileId: 'scan', detail: reason }],
      })
    },
  )
})

test('a joined PDF excludes pages that it only links to or names in articles', async () => {
  const source = await open(await aPdf([595, 842], [595, 842], [595, 842]))
  const { context } = source
  const target = source.getPage(2).ref
  const link = { Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 9, 9], Dest: [target, 'Fit'] }
  const { node } = source.getPage(0)
  node.set(PDFName.of('Annots'), context.obj([context.register(context.obj(link))]))
  node.set(PDFName.of('B'), context.obj([target]))

  const file = { fileId: 'a', mediaType: 'application/pdf', bytes: await source.save() } as const
  const document = await open((await compose({ pages: [file] })).pdf)

  const pages = document.context
    .enumerateIndirectObjects()
    .filter(
      ([, object]) =>
        object instanceof PDFDict && object.get(PDFName.of('Type')) === PDFName.of('Page'),
    )
  expect(pages).toHaveLength(4)
  expect(document.getPage(1).node.Annots()).toBeUndefined()
})

describe('every character is printed, and read back from the page', () => {
  const range = (first: number, last: number) =>
    String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, at) => first + at))

  test.each([
    ['ASCII', range(0x21, 0x7e)],
    ['Latin-1', range(0xa1, 0xff).replace('\u{AD}', '')],
    ['Latin Extended-A: central Europe, Welsh circumflexes', range(0x100, 0x17f)],
    ['Welsh accents and umlauts', 'ẀẁẂẃẄẅỲỳŴŵŶŷÂâÊêÎîÔôÛûŸÿ'],
    ['Romanian commas', 'ȘșȚț'],
    ['punctuation of typographers', '‘’‚“”„†•…–—€™'],
  ])('%s', async (_, characters) => {
    const chunks = [...characters.normalize('NFC')].reduce<string[]>((lines, character, index) => {
      index % 30 === 0 ? lines.push(character) : lines.push(`${lines.pop()}${character}`)
      return lines
    }, [])
    const [line1 = '', line2 = '', line3 = '', line4 = '', line5 = ''] = chunks
    const lines = { line1: `A${line1}`, line2, line3, line4, line5 }
    const { pdf } = await compose({
      printableAddress: { recipientLine1: 'Ann', recipientLine2: '', ...lines, dps: null },
    })
    const read = (await pageText(pdf, 1)).replaceAll(/\s/g, '')
    expect(read).toBe(`AnnA${chunks.join('')}`)
  })
})

describe('the address on the first page of a file', () => {
  const onFirstPage = { addressPlacement: 'first-page' } as const
  const window = { x: 24.6, y: 39.5, width: 95.4, height: 26.8 }
  const turned = async (turns: 0 | 90 | 180 | 270) => {
    const source = await PDFDocument.create()
    const isSideways = turns % 180 === 90
    const page = source.addPage(isSideways ? [1000, 700] : [700, 1000])
    page.setCropBox(
      60,
      40,
      ...((isSideways ? [841.89, 595.28] : [595.28, 841.89]) as [number, number]),
    )
    page.setRotation(degrees(turns))
    return source.save()
  }

  test.each([0, 90, 180, 270] as const)(
    'is readable in the window when the page is turned by %d',
    async (turns) => {
      const file = {
        fileId: 'a',
        mediaType: 'application/pdf',
        bytes: await turned(turns),
      } as const
      const { pdf, pages } = await compose({ ...onFirstPage, pages: [file] })
      const expected = (await compose()).pdf
      const [got, wanted] = await Promise.all(
        [pdf, expected].map((each) => pagePicture(each, 1, { pixelsPerInch: 72, part: window })),
      )
      const differing = got!.grey.filter(
        (grey, index) => Math.abs(grey - wanted!.grey[index]!) > 64,
      )

      expect(pages).toBe(1)
      expect(wanted!.grey.some((grey) => grey < 100)).toBe(true)
      expect(differing.length).toBeLessThan(wanted!.grey.length / 50)
      expect((await pageText(pdf, 1)).split(/\r?\n/)).toEqual([
        'Ms Ann Other',
        '27 ACACIA AVENUE',
        'SWINDON',
        'SN3 4RD',
      ])
    },
  )

  test('covers what the file prints there', async () => {
    const { pdf } = await compose({
      ...onFirstPage,
      pages: [{ fileId: 'a', mediaType: 'application/pdf', bytes: await aPdf([595.28, 841.89]) }],
    })
    const picture = await pagePicture(pdf, 1, { pixelsPerInch: 72 })
    expect(picture.grey[(842 - 100) * picture.width + 100]).toBeLessThan(50)
  })

  test.each<[string, LetterFile[]]>([
    ['there is no file', []],
    ['the first is an image', [{ fileId: 'a', mediaType: 'image/png', bytes: png }]],
  ])('is on its own page when %s', async (_, pages) => {
    const composed = await compose({ ...onFirstPage, pages })
    expect(composed.pages).toBe(pages.length + 1)
    expect(await pageText(composed.pdf, 1)).toContain('27 ACACIA AVENUE')
  })
})

describe('letters composed from equal input', () => {
  const pages: LetterFile[] = [
    { fileId: 'a', mediaType: 'application/pdf', bytes: pdf },
    { fileId: 'b', mediaType: 'image/png', bytes: png },
    { fileId: 'c', mediaType: 'image/tiff', bytes: aTiff(2) },
  ]

  test.each([
    ['Ann', 'own-page'],
    ['Siôn', 'first-page'],
    ['Київ', 'own-page'],
  ] as const)('are equal bytes for %s, with the address on %s', async (name, addressPlacement) => {
    const change = {
      pages,
      printableAddress: { ...printableAddress, recipientLine1: name },
      documentId: 'D100001',
      addressPlacement,
    }
    const first = await compose(change)
    expect(Buffer.compare(first.pdf, (await compose(change)).pdf)).toBe(0)
    const other = await compose({ ...change, documentId: 'D100002' })
    expect(Buffer.compare(first.pdf, other.pdf)).not.toBe(0)
  })

  test('contain only the given time', async () => {
    const text = Buffer.from((await compose()).pdf).toString('latin1')
    expect(text.match(/D:\d+Z/g)).toEqual(['D:20260304050607Z', 'D:20260304050607Z'])
  })

  test('leave the bytes of the file unchanged', async () => {
    const before = Buffer.from(pages[0]!.bytes)
    await compose({ pages })
    expect(Buffer.compare(pages[0]!.bytes, before)).toBe(0)
  })
})

test.each<[string, LetterFile[]]>([
  ['without files', []],
  ['with a file', [{ fileId: 'a', mediaType: 'application/pdf', bytes: pdf }]],
])('a letter %s has the given title', async (_, pages) => {
  const composed = await compose({ title: 'Llythyr – Ŵyn (1)', pages })
  expect((await open(composed.pdf)).getTitle()).toBe('Llythyr – Ŵyn (1)')
})
