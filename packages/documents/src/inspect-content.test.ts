import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import { aPdf, aPicture, aTiff } from '../test/sample-files.ts'
import { updatePdf, writePdf } from '../test/write-pdf.ts'
import type { MediaType } from './file-signature.ts'
import { inspectContent } from './inspect-content.ts'

const inspect = (mediaType: MediaType, bytes: Uint8Array) =>
  inspectContent({ fileId: 'scan', mediaType, bytes })

test.each<[what: string, mediaType: MediaType, pages: number, bytes: Uint8Array]>([
  ['PDF', 'application/pdf', 2, await aPdf([595, 842], [100, 100])],
  ['PNG', 'image/png', 1, await aPicture().png().toBuffer()],
  ['TIFF', 'image/tiff', 3, aTiff(3)],
])('a sound %s has its number of pages', async (_, mediaType, pages, bytes) => {
  expect(await inspect(mediaType, bytes)).toMatchObject({ findings: [], pages })
})

test('a PDF is opened and checked for revisions, also on a second inspection', async () => {
  const pdf = await aPdf()
  const updated = updatePdf(writePdf(), { objects: { 2: '<</Type/Pages/Kids[3 0 R]/Count 1>>' } })

  for (const _ of [1, 2]) {
    const { isRevised, openDocument } = await inspect('application/pdf', pdf)
    expect(isRevised).toBe(false)
    expect((await openDocument!()).getPageCount()).toBe(1)
    expect(await openDocument!()).toBe(await openDocument!())
    expect(await inspect('application/pdf', updated)).toMatchObject({ isRevised: true })
  }
})

test.each([
  ['that pdf-lib encrypts', encrypted, 'pdf-encrypted', 'The PDF is encrypted.'],
  ['that pdf-lib would repair', cut, 'pdf-damaged', 'The PDF is not complete.'],
  ['without a page', withoutPages, 'pdf-no-pages', 'The PDF has no pages.'],
])('a PDF %s is refused by name, and is not opened', async (_, make, rule, detail) => {
  const inspected = await inspect('application/pdf', await make())

  expect(inspected).toMatchObject({
    findings: [{ rule, fileId: 'scan', detail: `File scan: ${detail}` }],
  })
  expect(inspected).not.toHaveProperty('pages')
  expect(inspected).not.toHaveProperty('openDocument')
})

test('an image is refused by name', async () => {
  const inspected = await inspect('image/jpeg', await aPicture().png().toBuffer())

  expect(inspected).toMatchObject({
    findings: [{ rule: 'image-damaged', detail: expect.stringMatching(/^File scan: The image /) }],
  })
  expect(inspected).not.toHaveProperty('pages')
})

async function encrypted(): Promise<Uint8Array> {
  const document = await PDFDocument.load(await aPdf())
  document.encrypt({ userPassword: '', ownerPassword: 'x' })
  return document.save()
}

async function cut(): Promise<Uint8Array> {
  return (await aPdf()).subarray(0, -6)
}

async function withoutPages(): Promise<Uint8Array> {
  return (await PDFDocument.create()).save({ addDefaultPage: false })
}
