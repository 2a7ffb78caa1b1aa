import { deflateSync } from 'node:zlib'
import { byEffort } from '@despatch/testing/effort'
import { expect, test } from 'vitest'
import { annotated } from '../../test/annotated-pdfs.ts'
import type { PdfSource } from '../../test/write-pdf.ts'
import { loadPdf } from '../pdf-safety/inspect-pdf.ts'
import { flattenAnnotations } from './flatten-annotations.ts'

const widget = (more: string) => `<</Type/Annot/Subtype/Widget/F 4/Rect[100 400 200 450]${more}>>`
const form = (annotations: string, objects: PdfSource['objects'] = {}, says = '') =>
  annotated(annotations, { catalog: `/AcroForm<</Fields[]${says}>>`, objects })
const children = (count: number) => widget('/Parent 11 0 R').repeat(count)
const packed = (bytes: Buffer) => ({
  dictionary: '/Filter/FlateDecode',
  data: deflateSync(bytes),
})

async function flatten(pdf: Uint8Array) {
  const { drawnPages, findings } = await flattenAnnotations(await loadPdf(pdf))
  return { drawnPages, rules: findings.map(({ rule }) => rule) }
}

// Each takes minutes or longer if its work grows with the square of its size, or with what its fields share.
test.each([
  ['a default appearance of digits', `/FT/Tx/Ff 4096/V(a)/DA(${'1'.repeat(500_000)})`],
  ['a default appearance of slashes', `/FT/Tx/V(a)/DA(${'/'.repeat(500_000)})`],
  ['a comb of many cells', '/FT/Tx/Ff 16777216/MaxLen 1000000000/V(abc)'],
])('a field with %s is refused as undrawn', async (_, field) => {
  expect(await flatten(form(widget(field)))).toEqual({ drawnPages: [], rules: ['field-undrawn'] })
})

test.each([
  [
    'a place as large as a hall',
    widget(`/FT/Tx/V(${'a b '.repeat(1_000)})`).replace('200 450', '900000 900000'),
  ],
  [
    'a large comb',
    widget(`/FT/Tx/Ff 16777216/MaxLen 4000/V(${'a'.repeat(4_000)})`).replace(
      '200 450',
      '900000 900000',
    ),
  ],
])('a text that fills %s is measured once', async (_, annotation) => {
  expect(await flatten(form(annotation))).toEqual({ drawnPages: [1], rules: [] })
})

test('an unterminated string in an appearance is read once', async () => {
  const pdf = form(
    widget('/FT/Tx/V(new)/AP<</N 10 0 R>>'),
    { 10: { dictionary: '/Subtype/Form/BBox[0 0 9 9]', data: `(${'\\('.repeat(300_000)}` } },
    '/NeedAppearances true',
  )

  expect(await flatten(pdf)).toEqual({ drawnPages: [1], rules: [] })
})

test('an appearance that many fields share is read once', async () => {
  const blank = { ...packed(Buffer.alloc(30_000_000, ' ')) }
  const objects = {
    10: { ...blank, dictionary: `${blank.dictionary}/Subtype/Form/BBox[0 0 9 9]` },
    11: '<</FT/Tx/V()>>',
  }
  const fields = widget('/Parent 11 0 R/AP<</N 10 0 R>>').repeat(400)

  expect(await flatten(form(fields, objects, '/NeedAppearances true'))).toEqual({
    drawnPages: [],
    rules: [],
  })
})

test('a long text in a stream is read once, and only up to the limit of drawing', async () => {
  const pdf = form(children(200), {
    11: '<</FT/Tx/V 12 0 R>>',
    12: packed(Buffer.alloc(100_000_000, 'a')),
  })

  expect(await flatten(pdf)).toEqual({ drawnPages: [], rules: ['field-undrawn'] })
})

test('a list of options that many fields share is read once', async () => {
  const options = '(a)'.repeat(100_000)
  const pdf = form(children(400), { 11: `<</FT/Ch/Ff 131072/V(b)/Opt[${options}[(b)(Bee)]]>>` })

  expect(await flatten(pdf)).toEqual({ drawnPages: [1], rules: [] })
})

// Drawing so many takes seconds.
const mostFields = byEffort({
  landing: [],
  full: [
    ['fields of a word', 5_000, 'a'],
    ['fields of a page', 20, 'a'.repeat(5_000)],
  ] as const,
})

test.each(mostFields)(
  'a document may draw up to its limit of %s, and no more',
  async (_, count, text) => {
    const fields = (many: number) => form(children(many), { 11: `<</FT/Tx/V(${text})>>` })

    expect(await flatten(fields(count))).toEqual({ drawnPages: [1], rules: [] })
    expect(await flatten(fields(count + 1))).toEqual({ drawnPages: [1], rules: ['field-undrawn'] })
  },
)
