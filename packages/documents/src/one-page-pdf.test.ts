import { hash } from 'node:crypto'
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import { composedPdf } from '../test/letters.ts'
import { mergeDocuments } from '../test/merge-documents.ts'
import { aPdf } from '../test/sample-files.ts'
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

test.each(subsets)(
  'PDFs in %s have the same beginning, and each the hash of its bytes',
  (_, text) => {
    const hashOf = (bytes: Uint8Array) => hash('sha256', bytes)
    const [one, other, again] = ['one', 'another', 'one'].map((title) =>
      writeOnePagePdf({ ...onePage, title }, subsetFor([text])),
    ) as [OnePage, OnePage, OnePage]

    for (const { pdf, sha256, beginning } of [one, other, again]) {
      expect(sha256).toBe(hashOf(pdf))
      expect(beginning).toEqual(one.beginning)
      expect(beginning.sha256).toBe(hashOf(pdf.subarray(0, beginning.bytes)))
      expect(beginning.bytes).toBeGreaterThan(pdf.length / 2)
    }
  },
)

type OnePage = ReturnType<typeof writeOnePagePdf>

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

test('letters with and without files share the typeface in a print stream', async () => {
  const file = { fileId: 'a', mediaType: 'application/pdf', bytes: await aPdf() } as const
  const letters = await Promise.all([[], [file], []].map((pages) => composedPdf({ pages })))

  const { pdf } = await mergeDocuments(letters)

  expect(
    Buffer.from(pdf)
      .toString('latin1')
      .match(/\/FontFile2 /g),
  ).toHaveLength(1)
})
