import { readText } from '@despatch/testing/read-text'
import { expect, test } from 'vitest'
import { aLetterRequest } from '../test/letters.ts'
import { aPdfThatDraws, draw } from '../test/preflight-fixtures.ts'
import { aTiff } from '../test/sample-files.ts'
import { draftLetter } from './draft-letter.ts'

const aPage = () => aPdfThatDraws({ draws: [draw.text(30, 120, 'a page')] })
const pdf = (fileId: string, bytes: Uint8Array) =>
  ({ fileId, mediaType: 'application/pdf', bytes }) as const

test('shows the printable parts of a letter and names the others, in the order of the letter', async () => {
  const files = [
    pdf('broken', Buffer.from('%PDF-1.7\n%%EOF\n')),
    pdf('scan', await aPage()),
    { fileId: 'photos', mediaType: 'image/tiff', bytes: aTiff(2) } as const,
  ]
  const printableAddress = { ...aLetterRequest().printableAddress, recipientLine1: 'Ms \u{1f600}' }

  const draft = await draftLetter(aLetterRequest({ files, printableAddress }), [
    { fileId: 'gone \u{1f600}', detail: 'File gone \u{1f600} did not pass the security check' },
  ])

  expect(draft.origins).toEqual([
    { page: 1 },
    { fileId: 'gone \u{1f600}', page: 1 },
    { fileId: 'broken', page: 1 },
    { fileId: 'scan', page: 1 },
    { fileId: 'photos', page: 1 },
    { fileId: 'photos', page: 2 },
  ])
  expect((await readText(draft.pdf)).slice(0, 4)).toEqual([
    'Recipient line 1 has a character that cannot be printed, at position 4.',
    'File gone ? did not pass the security check',
    'File broken: The PDF is damaged and cannot be read.',
    'a page',
  ])
})

test('prints the address on the first page where the contract says so', async () => {
  const files = [pdf('scan', await aPage())]

  const draft = await draftLetter(aLetterRequest({ addressPlacement: 'first-page', files }))

  expect(draft.origins).toEqual([{ fileId: 'scan', page: 1 }])
  const [text] = await readText(draft.pdf)
  expect(text).toContain('a page')
  expect(text).toContain('27 ACACIA AVENUE')
})
