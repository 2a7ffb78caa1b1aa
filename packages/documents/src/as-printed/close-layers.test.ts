import { PDFArray, PDFContentStream, PDFName, PDFRawStream, PDFStream } from 'pdf-lib'
import { expect, test } from 'vitest'
import { writePdf } from '../../test/write-pdf.ts'
import { decodeContent } from '../pdf-safety/decode-content.ts'
import { loadPdf } from '../pdf-safety/inspect-pdf.ts'
import { closeLayers } from './close-layers.ts'

const layers = '/OCProperties<</OCGs[]/D<<>>>>'

/** Returns the content of a page, and of its form, whose layers are closed. */
async function closed(data: string, catalog = layers): Promise<{ page: string; form: string }> {
  const form = { dictionary: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]', data }
  const document = await loadPdf(writePdf({ catalog, content: { data }, objects: { 10: form } }))
  const pages = document.getPages().map(({ node }) => node)
  closeLayers(document, pages)
  const contents = pages[0]!.lookup(PDFName.of('Contents'))
  const streams = contents instanceof PDFArray ? contents.asArray() : [contents]
  const written = document.context
    .enumerateIndirectObjects()
    .map(([, object]) => object)
    .find(
      (object) =>
        object instanceof PDFRawStream &&
        String(object.dict.get(PDFName.of('Subtype'))) === '/Form',
    )
  return {
    page: streams.map((item) => textOf(document.context.lookup(item))).join(''),
    form: textOf(written),
  }
}

function textOf(stream: unknown): string {
  if (stream instanceof PDFContentStream) return Buffer.from(stream.getContents()).toString()
  if (stream instanceof PDFRawStream) return Buffer.from(decodeContent(stream)).toString()
  return stream instanceof PDFStream ? stream.getContentsString() : ''
}

test.each([
  ['is left as it is if all its layers end', '/OC /A BDC EMC', ''],
  ['is ended as often as it began', '/OC /A BDC /B BMC /C BMC EMC', '\nEMC\nEMC'],
  ['is ended after an end of nothing, which counts as nothing', 'EMC EMC /OC /A BDC', '\nEMC'],
])('content %s', async (_, data, ends) => {
  expect(await closed(data)).toEqual({ page: `${data}${ends}`, form: `${data}${ends}` })
})

test('leaves a document without layers unchanged', async () => {
  const data = '/OC /A BDC'

  expect(await closed(data, '')).toEqual({ page: data, form: data })
})
