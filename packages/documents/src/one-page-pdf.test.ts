import { hash } from 'node:crypto'
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import { mergeDocuments } from '../test/merge-documents.ts'
import { aPdf } from '../test/sample-files.ts'
import { composeLetter } from './compose-letter.ts'
import { subsetFor } from './font-subset.ts'
import { writeOnePagePdf } from './one-page-pdf.ts'
import { inspectPdf } from './pdf-safety/inspect-pdf.ts'

const onePage = {
  operators: 'BT /Address 9 Tf 72 700 Td <0001> Tj ET',
  title: 'Llythyr – Ŵyn 😀 (1)',
  at: new Date('2026-03-04T05:06:07.890Z'),
}
const subsets = [
  ['ASCII', 'Ann'],
  ['Latin', 'Siôn'],
  ['a subset of its own', 'Київ'],
] as const

test.each(subsets)(
  'the cross-reference table of a PDF in %s has the offset of each object',
  (_, text) => {
    const pdf = Buffer.from(writeOnePagePdf(onePage, subsetFor([text])).pdf).toString('latin1')
    const tableAt = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(pdf)?.[1])
    const table = pdf.slice(tableAt)
    const offsets = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset))

    expect(table).toMatch(new RegExp(`^xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n`))
    expect(offsets.map((offset) => pdf.slice(offset).split('\n')[0])).toEqual(
      offsets.map((_, index) => `${index + 1} 0 obj`),
    )
  },
)

test.each(subsets)('PDFs in %s have the same beginning', (_, text) => {
  const one = writeOnePagePdf(onePage, subsetFor([text]))
  const other = writeOnePagePdf({ ...onePage, title: 'another' }, subsetFor([text]))

  expect(one.beginning).toEqual({ bytes: one.beginning.bytes, sha256: hashOfBeginning(one) })
  expect(one.beginning.bytes).toBeGreaterThan(one.pdf.length / 2)
  expect(hashOfBeginning(other)).toBe(one.beginning.sha256)
})

const hashOfBeginning = ({ pdf, beginning }: ReturnType<typeof writeOnePagePdf>) =>
  hash('sha256', pdf.subarray(0, beginning.bytes))

test.each(subsets)('every reader accepts a PDF in %s', async (_, text) => {
  const { pdf } = writeOnePagePdf(onePage, subsetFor([text]))

  const document = await PDFDocument.load(pdf, {
    throwOnInvalidObject: true,
    updateMetadata: false,
  })
  expect(document.getTitle()).toBe(onePage.title)
  expect(document.getProducer()).toBe('Despatch')
  expect(document.getCreationDate()).toEqual(new Date('2026-03-04T05:06:07Z'))
  expect((await inspectPdf(pdf)).findings).toEqual([])
})

test.each(subsets)('the returned hash is the hash of the bytes, for each PDF in %s', (_, text) => {
  const subset = subsetFor([text])
  for (const title of ['one', 'another', 'one']) {
    const { pdf, sha256 } = writeOnePagePdf({ ...onePage, title }, subset)
    expect(sha256).toBe(hash('sha256', pdf))
  }
})

test('letters with and without files share the typeface in a print stream', async () => {
  const letter = {
    printableAddress: {
      recipientLine1: 'Ann',
      recipientLine2: '',
      line1: '1 High Street',
      dps: null,
    },
    title: 'Letter',
    at: onePage.at,
  }
  const file = { fileId: 'a', mediaType: 'application/pdf', bytes: await aPdf() } as const
  const letters = await Promise.all(
    [[], [file], []].map((pages) => composeLetter({ ...letter, pages })),
  )

  const { pdf } = await mergeDocuments(
    letters.map((composed) => (composed.kind === 'composed' ? composed.pdf : Buffer.of())),
  )

  expect(
    Buffer.from(pdf)
      .toString('latin1')
      .match(/\/FontFile2 /g),
  ).toHaveLength(1)
})
