import type { MediaType } from '@despatch/documents/file-signature'
import { makeDocument } from '@despatch/documents/make-document'
import { planDocument } from '@despatch/documents/plan-document'
import { printAddressee } from '@despatch/domain/address/printable-address'
import type { Finding } from '@despatch/domain/preflight/finding'
import { printScenario } from '@despatch/uat-scenarios/print-scenarios'
import { describe, expect, test } from 'vitest'

const at = new Date('2026-03-02T09:00:00Z')
const contract = {
  production: 'letter',
  suppliedFileKey: 'letter',
  printsHandlingInstruction: false,
  plex: 'duplex',
  pagesMax: 1,
  submittedAt: at,
  ruleSet: 'standard-2026-11',
  addressPlacement: 'own-page',
  marks: true,
  documentId: 'D100000001',
  strict: false,
  refusedRules: [],
} as const
const somebody = {
  jobType: 'LETTER',
  templateReference: 'LETTER',
  recipientName: 'Ms A Person',
  address: { unstructuredAddress: { line1: '1 High Street', postcode: 'AB1 2CD' } },
}
const aFile = (text: string, mediaType: MediaType = 'application/pdf') => ({
  fileId: 'letter',
  mediaType,
  bytes: Buffer.from(text, 'latin1'),
})
/** A PDF of these objects. The first one is its catalogue. */
const aPdf = (objects: readonly string[], trailer = '') =>
  `%PDF-1.7\n${objects.map((text, index) => `${index + 1} 0 obj\n${text}\nendobj\n`).join('')}` +
  `trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer}>>\n%%EOF\n`
const catalogue = '<</Type/Catalog/Pages 2 0 R>>'
const onePage = (mediaBox: string) => [
  catalogue,
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  `<</Type/Page/Parent 2 0 R/MediaBox${mediaBox}/Resources<<>>>>`,
]
const aPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const a4 = '[0 0 595.28 841.89]'

/** Returns the finding for which the test environment rejects a print job, if it does. */
function predefined(why: string): Finding[] {
  const outcome = printScenario(`UAT REJECT ${why}`)?.outcome
  return outcome?.kind === 'reject'
    ? [outcome.finding({ fileId: 'letter', pagesMax: 1, uploadBytesMax: 1000 })]
    : []
}

/** Returns the findings of validation itself. */
async function validated(
  files: ReturnType<typeof aFile>[],
  changed: { production?: 'letter' | 'as-supplied'; recipientName?: string; line1?: string } = {},
): Promise<readonly Finding[]> {
  const { production = 'letter', recipientName = 'Ms A Person', line1 = '1 High Street' } = changed
  const standardParams = {
    ...somebody,
    recipientName,
    address: { unstructuredAddress: { line1, postcode: 'AB1 2CD' } },
  }
  const printed = printAddressee(standardParams)
  const step = { ...contract, production, template: null, standardParams }
  const made = await makeDocument(planDocument(step, printed, files))
  return made.findings
}

describe('predefined findings of the test environment equal those of validation', () => {
  test.each<[why: string, file: ReturnType<typeof aFile>]>([
    ['INCOMPLETE PDF', aFile('%PDF-1.7 and nothing more')],
    ['DAMAGED PDF', aFile('%PDF-1.7\n%%EOF\n')],
    [
      'ENCRYPTED PDF',
      aFile(aPdf([...onePage(a4), '<</Filter/Standard/V 1/R 2/P -4>>'], '/Encrypt 4 0 R')),
    ],
    ['EMPTY PDF', aFile(aPdf([catalogue, '<</Type/Pages/Kids[]/Count 0>>']))],
    ['DAMAGED IMAGE', aFile('\x89PNG\r\n\x1a\n and nothing more', 'image/png')],
    // the address takes a page as well
    ['TOO MANY PAGES', aFile(aPdf(onePage(a4)))],
  ])('%s', async (why, file) => {
    expect(predefined(why)).toEqual(await validated([file]))
  })

  test.each<[why: string, files: ReturnType<typeof aFile>[]]>([
    ['NOT A4', [aFile(aPdf(onePage('[0 0 841.89 595.28]')))]],
    ['NOT A PDF', [{ ...aFile('', 'image/png'), bytes: aPng }]],
    ['OTHER FILES', []],
  ])('%s', async (why, files) => {
    expect(predefined(why)).toEqual(await validated(files, { production: 'as-supplied' }))
  })

  test('for UNPRINTABLE', async () => {
    expect(predefined('UNPRINTABLE')).toEqual(
      await validated([], { recipientName: 'Ms \u{1f600}' }),
    )
  })

  test('for ADDRESS', async () => {
    expect(predefined('ADDRESS')).toEqual(await validated([], { line1: '-' }))
  })
})
