import { PDFDocument } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { harmlessPdfs } from '../../test/harmless-pdfs.ts'
import { unsafePdfs } from '../../test/unsafe-pdfs.ts'
import { updatePdf, writePdf } from '../../test/write-pdf.ts'
import { inspectPdf } from './inspect-pdf.ts'
import { pdfLimits } from './pdf-limits.ts'

const harmless = Object.entries(await harmlessPdfs())
const unsafe = Object.entries(await unsafePdfs())

test.each(harmless)('accepts: %s', async (_, pdf) => {
  const { findings, document } = await inspectPdf(pdf)

  expect(findings).toEqual([])
  expect(document).toBeInstanceOf(PDFDocument)
})

test.each(unsafe)('refuses by one rule alone: %s', async (_, { rule, page, pdf }) => {
  const { findings, document } = await inspectPdf(pdf)

  expect(findings.map((finding) => [finding.rule, finding.page, finding.severity])).toEqual([
    [rule, page, 'refusal'],
  ])
  expect(findings[0]!.detail).toMatch(
    page ? /^Page \d+ of the PDF has .+\.$/ : /^The PDF (is|has) .+\.$/,
  )
  expect(document).toBeUndefined()
})

describe('a refusal', () => {
  test('names the finding and its place, and no content', async () => {
    const pdf = writePdf({
      catalog: '/OpenAction<</S/JavaScript/JS(secret)>>',
      page: '/Annots[<</Subtype/Link/A<</S/Launch/F(secret)>>>><</Subtype/Link/A<</S/Sound>>>>]',
    })

    expect(await inspectPdf(pdf)).toEqual({
      pages: 1,
      findings: [
        { rule: 'pdf-javascript', severity: 'refusal', detail: 'The PDF has JavaScript.' },
        {
          rule: 'pdf-action',
          severity: 'refusal',
          page: 1,
          detail: 'Page 1 of the PDF has an action that launches a program.',
        },
      ],
    })
  })

  test('is reported once for each rule and page, up to a limit', async () => {
    const link = '/Annots[<</Subtype/Link/A<</S/Launch>>>><</Subtype/Link/A<</S/Launch>>>>]'
    const numbers = Array.from({ length: 60 }, (_, index) => 10 + index)
    const pdf = writePdf({
      objects: {
        2: `<</Type/Pages/Kids[${numbers.map((number) => `${number} 0 R`).join(' ')}]/Count 60>>`,
        ...Object.fromEntries(
          numbers.map((number) => [number, `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]${link}>>`]),
        ),
      },
    })

    const { findings, pages } = await inspectPdf(pdf)

    expect(pages).toBe(60)
    expect(findings.map(({ page }) => page)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
  })

  test('is reported together with other findings', async () => {
    const pdf = writePdf({
      page: '/AA<</O<</S/Named>>>>',
      content: { dictionary: '/Filter/Zip', data: 'x' },
    })

    const { findings } = await inspectPdf(pdf)

    expect(findings.map(({ rule }) => rule)).toEqual(['pdf-action', 'pdf-damaged'])
  })

  test.each([
    ['fileBytesMax', 'bytes', writePdf().length, { fileBytesMax: 100 }],
    ['objectsMax', 'objects', 5, { objectsMax: 4 }],
    ['pagesMax', 'pages', 1, { pagesMax: 0 }],
  ] as const)('by %s has the measured and the permitted number', async (_, unit, value, limit) => {
    const { findings } = await inspectPdf(writePdf(), { ...pdfLimits, ...limit })

    expect(findings).toMatchObject([
      {
        rule: 'pdf-too-complex',
        measured: { unit, value },
        allowed: { unit, max: Object.values(limit)[0] },
      },
    ])
  })

  test.each([
    { valuesMax: 20 },
    { stringBytesMax: 10 },
    { referenceEntriesMax: 5 },
    { streamBytesMax: 10 },
    { streamsBytesMax: 10 },
  ])('by %o names the limit', async (limit) => {
    const pdf = writePdf({ trailer: '/ID[(0123456789abcdef)(0123456789abcdef)]' })

    expect(await inspectPdf(pdf, { ...pdfLimits, ...limit })).toMatchObject({
      findings: [{ rule: 'pdf-too-complex', detail: expect.stringMatching(/^The PDF has .+\d+/) }],
    })
  })
})

test('counts the pages of the last update', async () => {
  const pdf = updatePdf(writePdf(), {
    objects: {
      2: '<</Type/Pages/Kids[3 0 R 10 0 R]/Count 2>>',
      10: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>',
    },
  })

  expect(await inspectPdf(pdf)).toMatchObject({ findings: [], pages: 2, isRevised: true })
  expect(await inspectPdf(writePdf())).toMatchObject({ findings: [], isRevised: false })
})

test('finds the same in a view of a larger buffer', async () => {
  const pdf = writePdf()
  const within = Buffer.concat([Buffer.from('%%EOF 9 0 obj'), pdf, Buffer.from('trailer')])

  const part = new Uint8Array(within.buffer, within.byteOffset + 13, pdf.length)

  expect(await inspectPdf(part)).toMatchObject({ findings: [], pages: 1 })
})
