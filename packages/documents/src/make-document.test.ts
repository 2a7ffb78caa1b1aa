import type { Finding } from '@despatch/domain/preflight/finding'
import { describe, expect, test } from 'vitest'
import { aPdfThatDraws, draw } from '../test/preflight-fixtures.ts'
import { aPdf, aPicture, aTiff } from '../test/sample-files.ts'
import type { DocumentFile, DocumentRequest } from './document-request.ts'
import { makeDocument } from './make-document.ts'

type Letter = Extract<DocumentRequest, { production: 'letter' }>

const aLetter = (changed: Partial<Letter> = {}): Letter => ({
  production: 'letter',
  at: new Date('2026-03-02T09:00:00Z'),
  plex: 'duplex',
  pagesMax: 5,
  ruleSet: 'standard-2026-11',
  documentId: 'D100000001',
  marks: true,
  title: 'LETTER',
  printableAddress: {
    line1: '1 High Street',
    postcode: 'AB1 2CD',
    recipientLine1: 'Ms A Person',
    recipientLine2: '',
    dps: null,
  },
  addressPlacement: 'own-page',
  files: [],
  ...changed,
})
const supplied = (files: readonly DocumentFile[]): DocumentRequest => {
  const { at, plex, pagesMax, ruleSet, marks } = aLetter()
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
  test('has pages, sheets and a weight', async () => {
    const scan = await clean()
    const tiff = aTiff(2)

    const { findings, document } = await makeDocument(
      aLetter({ files: [file('scan', scan), file('photos', tiff, 'image/tiff')] }),
    )

    expect(findings).toEqual([])
    expect(document).toMatchObject({ pages: 4, sheets: 2, weightGrams: 16.48 })
  })

  test('has equal bytes for an equal request', async () => {
    const request = aLetter({ files: [file('scan', await clean())] })

    const [one, other] = [await makeDocument(request), await makeDocument(request)]

    expect(one.document!.sha256).toBe(other.document!.sha256)
    expect(Buffer.from(one.document!.pdf).equals(other.document!.pdf)).toBe(true)
  })

  test('with the address on its first page has no extra page', async () => {
    const files = [file('scan', await clean())]

    const { findings, document } = await makeDocument(
      aLetter({ addressPlacement: 'first-page', files }),
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
        ...aLetter({ files: [file('scan', await atTheEdge()), file('broken', brokenPdf)] }),
        printableAddress: { ...aLetter().printableAddress, recipientLine1: 'Ms \u{1f600}' },
      }),
      ['pdf-damaged broken', 'print-area scan 2', 'address-character'],
    ],
    [
      'too many pages, which are then not looked at',
      async () => aLetter({ pagesMax: 2, files: [file('scan', await atTheEdge())] }),
      ['pages-max'],
    ],
    [
      'something in the window, where the address is to stand',
      async () =>
        aLetter({ addressPlacement: 'first-page', files: [file('scan', await inTheWindow())] }),
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

  test('print in the address window is allowed when the address has its own page', async () => {
    const files = [file('scan', await inTheWindow())]

    expect((await makeDocument(aLetter({ files }))).findings).toEqual([])
  })
})

test('a file that was checked before is checked again as another part, and named by its current id', async () => {
  const bytes = await inTheWindow()
  const judged = async (fileId: string, changed: Partial<Letter>) =>
    about((await makeDocument(aLetter({ ...changed, files: [file(fileId, bytes)] }))).findings)

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

  await makeDocument(aLetter({ files }), {
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
