import { hash } from 'node:crypto'
import type { Finding } from '@despatch/domain/preflight/finding'
import { describe, expect, test } from 'vitest'
import { aLetterRequest, type LetterRequest } from '../test/letters.ts'
import { aPdfThatDraws, draw } from '../test/preflight-fixtures.ts'
import { aPdf, aPicture, aTiff } from '../test/sample-files.ts'
import type { DocumentFile, DocumentRequest } from './document-request.ts'
import { makeDocument } from './make-document.ts'

const supplied = (files: readonly DocumentFile[]): DocumentRequest => {
  const { at, plex, pagesMax, ruleSet, marks } = aLetterRequest()
  const production = 'as-supplied'
  return { production, suppliedFileKey: 'pdfContent', at, plex, pagesMax, ruleSet, marks, files }
}
const file = (
  fileId: string,
  bytes: Uint8Array,
  mediaType: DocumentFile['mediaType'] = 'application/pdf',
) => ({ fileId, mediaType, bytes })

/** Describes what a finding is about: rule, file and page. */
const about = (findings: readonly Finding[]) =>
  findings.map(({ rule, fileId, page }) =>
    [rule, fileId, page].filter((each) => each !== undefined).join(' '),
  )

const clean = () => aPdfThatDraws({ draws: [draw.text(30, 120, 'a page')] })
const atTheEdge = () => aPdfThatDraws({ draws: [] }, { draws: [draw.box(0, 120, 20, 5)] })
const inTheWindow = () => aPdfThatDraws({ draws: [draw.text(30, 50, 'mine')] })
const brokenPdf = Buffer.from('%PDF-1.7\n%%EOF\n')

describe('a letter without a refusal', () => {
  test('has pages, sheets, a weight and the hash of its bytes', async () => {
    const files = [file('scan', await clean()), file('photos', aTiff(2), 'image/tiff')]

    const { findings, document } = await makeDocument(aLetterRequest({ files }))

    expect(findings).toEqual([])
    const sha256 = hash('sha256', document!.pdf)
    expect(document).toMatchObject({ pages: 4, sheets: 2, weightGrams: 16.48, sha256 })
  })

  test('with the address on its first page has no extra page', async () => {
    const files = [file('scan', await clean())]

    const { findings, document } = await makeDocument(
      aLetterRequest({ addressPlacement: 'first-page', files }),
    )

    expect(findings).toEqual([])
    expect(document).toMatchObject({ pages: 1, sheets: 1 })
  })

  test('as supplied has the bytes of the file', async () => {
    const pdf = await clean()

    const { document } = await makeDocument(supplied([file('pdfContent', pdf)]))

    expect(document).toMatchObject({ pages: 1, sheets: 1 })
    expect(document!.pdf).toBe(pdf)
  })
})

describe('a refused letter has no document, and all findings are reported in the order of the rules', () => {
  test.each<[what: string, request: () => Promise<DocumentRequest>, findings: string[]]>([
    [
      'an address and two files',
      async () => ({
        ...aLetterRequest({ files: [file('scan', await atTheEdge()), file('broken', brokenPdf)] }),
        printableAddress: { ...aLetterRequest().printableAddress, recipientLine1: 'Ms \u{1f600}' },
      }),
      ['pdf-damaged broken', 'print-area scan 2', 'address-character'],
    ],
    [
      'too many pages, which are then not looked at',
      async () => aLetterRequest({ pagesMax: 2, files: [file('scan', await atTheEdge())] }),
      ['pages-max'],
    ],
    [
      'something in the window, where the address is to stand',
      async () =>
        aLetterRequest({
          addressPlacement: 'first-page',
          files: [file('scan', await inTheWindow())],
        }),
      ['address-window scan 1'],
    ],
    [
      'another size as supplied',
      async () => supplied([file('pdfContent', await aPdf([400, 400]))]),
      ['page-size pdfContent 1'],
    ],
    [
      'not the file that is to be supplied',
      async () => supplied([file('pdfContent', await aPicture().png().toBuffer(), 'image/png')]),
      ['supplied-file pdfContent'],
    ],
  ])('%s', async (_what, request, expected) => {
    const { findings, document } = await makeDocument(await request())

    expect(document).toBeUndefined()
    expect(about(findings)).toEqual(expected)
  })
})

test('a file that was checked before is checked again as another part, and named by its current id', async () => {
  const bytes = await inTheWindow()
  const judged = async (fileId: string, changed: Partial<LetterRequest>) =>
    about(
      (await makeDocument(aLetterRequest({ ...changed, files: [file(fileId, bytes)] }))).findings,
    )

  expect(await judged('scan', { addressPlacement: 'own-page' })).toEqual([])
  expect(await judged('scan', { addressPlacement: 'first-page' })).toEqual([
    'address-window scan 1',
  ])
  expect(await judged('form', { addressPlacement: 'first-page' })).toEqual([
    'address-window form 1',
  ])
  expect(await judged('form', { addressPlacement: 'own-page' })).toEqual([])
})

test('reports the file in progress', async () => {
  const told: string[] = []
  const files = [
    file('scan', await clean()),
    file('photo', await aPicture().png().toBuffer(), 'image/png'),
  ]

  await makeDocument(aLetterRequest({ files }), {
    working: (index, pages) => told.push(`working ${index}, ${pages}`),
    workingOnLetter: () => told.push('working on the letter'),
  })

  expect(told).toEqual([
    'working 0, undefined',
    'working 1, undefined',
    'working on the letter',
    'working 0, 1',
    'working on the letter',
    'working 0, 1',
    'working 1, 1',
    'working on the letter',
  ])
})
