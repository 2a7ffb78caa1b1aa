import { ruleSets } from '@despatch/domain/preflight/rule-set'
import { describe, expect, test } from 'vitest'
import { annotated, stampedPdfs, stampPlace, unfilled } from '../../test/annotated-pdfs.ts'
import { harmlessPdfs } from '../../test/harmless-pdfs.ts'
import { aLetter } from '../../test/letters.ts'
import { writePdf } from '../../test/write-pdf.ts'
import { composeLetter } from '../compose-letter.ts'
import { loadPdf } from '../pdf-safety/inspect-pdf.ts'
import { inspectPages } from '../preflight/inspect-pages.ts'
import type { PagesPart } from '../preflight/zones.ts'
import { flattenAnnotations } from './flatten-annotations.ts'

const place = `/F 4/Rect[${stampPlace.join(' ')}]`
const bare = (subtype: string, more = '') =>
  annotated(`<</Type/Annot/Subtype/${subtype}${place}${more}>>`)

async function found(pdf: Uint8Array, part: PagesPart = 'file-page') {
  const ruleSet = ruleSets['standard-2026-11']
  const findings = await inspectPages(pdf, { ruleSet, part, marks: true, fileId: 'a' })
  return findings
    .filter(({ rule }) => rule !== 'font-not-embedded')
    .map(({ rule, severity, page, fileId }) => ({ rule, severity, page, fileId }))
}

const inFile = { page: 1, fileId: 'a' }
const undrawn = { rule: 'field-undrawn', severity: 'refusal', ...inFile }

describe('an annotation that cannot be drawn', () => {
  test.each([
    ['a text box', bare('FreeText', '/Contents(Pay now)')],
    ['a field with a character that the typeface lacks', unfilled('/FT/Tx/V<FEFFD83DDE00>')],
    ['a field with a text that fills more than a page', unfilled(`/FT/Tx/V(${'a'.repeat(5_001)})`)],
    ['a field with a word of several lines', unfilled(`/FT/Tx/Ff 4096/V(${'a'.repeat(999)})`)],
    ['a field whose text is a barcode', unfilled('/FT/Tx/V(abc)/PMD<</Symbology/QRCode>>')],
    ['a field whose text is longer than its comb', unfilled('/FT/Tx/Ff 16777216/MaxLen 2/V(abc)')],
  ])('refuses the letter: %s', async (_, pdf) => {
    expect(await found(pdf)).toEqual([undrawn])

    const pages = [{ fileId: 'a', mediaType: 'application/pdf', bytes: pdf } as const]
    expect(await composeLetter({ ...aLetter, pages })).toMatchObject({
      kind: 'refused',
      findings: [undrawn],
    })
  })

  test.each([
    ...['Highlight', 'Square', 'Text'].map((subtype) => [subtype, bare(subtype)] as const),
    [
      'a line outside its empty rectangle',
      annotated('<</Type/Annot/Subtype/Line/F 4/Rect[0 0 0 0]/L[100 400 200 450]>>'),
    ],
  ] as const)('gets a note: %s', async (_, pdf) => {
    expect(await found(pdf)).toEqual([{ rule: 'annotation-undrawn', severity: 'note', ...inFile }])
  })

  test.each([
    ['a link', bare('Link')],
    ['a comment for screens', annotated('<</Type/Annot/Subtype/Square/Rect[9 9 99 99]>>')],
    ['a comment without a place', annotated('<</Type/Annot/Subtype/Square/F 4/Rect[9 9 9 9]>>')],
    ['a field without a value', unfilled('/FT/Tx')],
    ['a box that is not ticked', unfilled('/FT/Btn/AS/Off')],
    ['a button', unfilled('/FT/Btn/Ff 65536')],
    ['a place for a signature', unfilled('/FT/Sig')],
    ['a password', unfilled('/FT/Tx/Ff 8192/V(secret)')],
  ])('is not reported if paper does not need it: %s', async (_, pdf) => {
    expect(await found(pdf)).toEqual([])
  })

  test('refuses a file that is printed as supplied and does not draw its fields', async () => {
    const [drawn, notDrawn] = [
      stampedPdfs['the state of a box that is ticked']!(),
      unfilled('/FT/Tx/V(a)'),
    ]

    expect(await found(drawn, 'supplied')).toEqual([])
    expect(await found(notDrawn, 'supplied')).toEqual([undrawn])
    expect(await found(notDrawn)).toEqual([])
  })
})

describe('an appearance that the file marks for regeneration', () => {
  const text = (shown: string) => ({
    dictionary: '/Type/XObject/Subtype/Form/BBox[0 0 100 50]/Resources<</Font<</F1 5 0 R>>>>',
    data: `/Tx BMC BT /F1 9 Tf ${shown} ET EMC`,
  })
  const field = (value: string) =>
    `<</Type/Annot/Subtype/Widget${place}/FT/Tx/T(a)${value}/AP<</N 10 0 R>>>>`
  const drawn = async (annotation: string, shown: string, says = '/NeedAppearances true') => {
    const source = { catalog: `/AcroForm<</Fields[]${says}>>`, objects: { 10: text(shown) } }
    return (await flattenAnnotations(await loadPdf(annotated(annotation, source)))).drawnPages
  }
  const drawnPages = (value: string, shown: string, says?: string) =>
    drawn(field(value), shown, says)

  test.each([
    ['/V(Two \\(2\\) words)', '(Two \\(2\\)) Tj T* (words) Tj'],
    ['/V(Two words)', '[(Tw) -20 (o w)] TJ <6f726473> Tj'],
    ['/V<FEFF004100E9>', '(A\\351) Tj'],
    ['', '(a hint) Tj'],
  ])('is kept if it shows the value: %s', async (value, shown) => {
    expect(await drawnPages(value, shown)).toEqual([])
  })

  test.each([
    ['/V(new)', '(old) Tj'],
    ['/V(new)', ''],
    ['/V()', '(old) Tj'],
  ])('is regenerated if it does not show the value: %s %s', async (value, shown) => {
    expect(await drawnPages(value, shown)).toEqual([1])
  })

  test.each(['', '/DA(/F1 12 Tf 0 g)'])(
    'is regenerated from a text of several lines with the greatest permitted length %s',
    async (size) => {
      const words = 'Dear Sir or Madam we write to '.repeat(166)
      expect(await drawnPages(`/Ff 4096/V(${words})${size}`, '')).toEqual([1])
    },
  )

  test.each([
    ['kept if it has them among others', '(one) Tj (two) Tj (three) Tj', []],
    ['made if it has not', '(one) Tj (three) Tj', [1]],
  ])('with the chosen options of a list is %s', async (_, shown, pages) => {
    const list = field('/V[(a)(b)]/Opt[[(a)(one)][(b)(two)][(c)(three)]]').replace('/Tx', '/Ch')

    expect(await drawn(list, shown)).toEqual(pages)
  })

  test('is kept for a barcode, which does not show its value as text', async () => {
    expect(await drawnPages('/V(new)/PMD<</Symbology/QRCode>>', '')).toEqual([])
  })

  test('is kept if the file does not ask for regeneration', async () => {
    expect(await drawnPages('/V(new)', '(old) Tj', '')).toEqual([])
  })
})

describe('a malformed file', () => {
  const stream = { dictionary: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]', data: '0 0 9 9 re f' }
  const stamp = (more: string) => `<</Type/Annot/Subtype/Stamp/F 4${more}/AP<</N 10 0 R>>>>`

  test.each([
    ['no rectangle', stamp('')],
    ['a rectangle of three numbers', stamp('/Rect[0 0 9]')],
    ['a rectangle of names', stamp('/Rect[/a/b/c/d]')],
    ['a rectangle beyond this world', stamp('/Rect[0 0 99999999 99999999]')],
    ['annotations that are numbers', '1 2 3'],
    ['an appearance that is not a stream', stamp('/Rect[0 0 9 9]').replace('10 0 R', '4')],
  ])('with %s draws nothing', async (_, annotations) => {
    const pdf = annotated(annotations, { objects: { 10: stream } })
    const flattened = await flattenAnnotations(await loadPdf(pdf))

    expect({ ...flattened, findings: flattened.findings.map(({ rule }) => rule) }).toMatchObject({
      isChanged: false,
      drawnPages: [],
    })
  })

  test('with a ring of parent fields has no value', async () => {
    const pdf = annotated(`<</Type/Annot/Subtype/Widget${place}/Parent 11 0 R>>`, {
      objects: { 11: '<</Parent 12 0 R>>', 12: '<</Parent 11 0 R>>' },
    })

    expect(await found(pdf)).toEqual([])
  })

  test('with unreadable content below an annotation is damaged', async () => {
    const pdf = annotated(stamp(place), {
      objects: {
        3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents[4 0 R 4 0 R]/Annots[${stamp(place)}]>>`,
        4: { dictionary: '/Filter/JBIG2Decode', data: 'x' },
        10: stream,
      },
    })
    const { findings } = await flattenAnnotations(await loadPdf(pdf))

    expect(findings.map(({ rule, page }) => [rule, page])).toEqual([['pdf-damaged', 1]])
  })
})

test('without annotations is left unchanged', async () => {
  for (const pdf of [writePdf(), (await harmlessPdfs()).layers!]) {
    const document = await loadPdf(pdf)
    const before = document.context.enumerateIndirectObjects().map(String)

    expect(await flattenAnnotations(document)).toEqual({
      isChanged: false,
      drawnPages: [],
      findings: [],
    })
    expect(document.context.enumerateIndirectObjects().map(String)).toEqual(before)
  }
})
