import type { PrintJobRequest } from '@despatch/contracts/print-request/print-job-request'
import { fileValueText } from '@despatch/contracts/print-request/print-job-response'
import type { Found } from '@despatch/domain/print-job/remark'
import type { Contract } from '@despatch/store/access/contracts'
import { describe, expect, test } from 'vitest'
import { takeInlineFiles } from './take-inline-files.ts'

const pdf = Buffer.from('%PDF-1.7\n1 0 obj <<>> endobj ..').toString('base64')
const dataUrl = `data:application/pdf;base64,${pdf}`
const cutOff = pdf.slice(0, 37)
const html = Buffer.from('<!doctype html><p>Dear').toString('base64')
const now = new Date('2027-01-10T12:00:00Z')

const letter = { production: 'letter', templateData: false, unreadableFiles: 'refuse' } as Contract
const reporting: Contract = { ...letter, unreadableFiles: 'report' }
const refusingLater: Contract = { ...letter, unreadableFiles: '2027-02-01' }
const template: Contract = { ...reporting, templateData: true }
const supplied = { ...reporting, production: 'as-supplied', suppliedFileKey: 'pdfContent' } as const

type Options = { key?: string; uploadBytesMax?: number } & Partial<
  Pick<PrintJobRequest, 'customParams' | 'fileParams'>
>

async function take(
  value: string,
  contract: Contract | undefined,
  { key = 'letter', uploadBytesMax = 1_000, ...others }: Options = {},
) {
  const found: Found = { faults: [], remarks: [] }
  const context = { contract, uploadBytesMax, now }
  const { customParams = [], fileParams = [] } = others
  const request = { customParams: [{ key, value }, ...customParams], fileParams }
  const taken = await takeInlineFiles(request, context, found)
  return { ...found, ...taken, kept: taken.customParams?.[0]?.value }
}

const cannotBeDecoded =
  'customParams[0].value (key letter) looks like a PDF file in base64, but cannot be decoded: its end is missing. Send the whole PDF, GIF, PNG, JPEG, TIFF or BMP file in base64, with nothing before or after it.'
const cannotBePrinted =
  'customParams[0].value (key letter) is an HTML page in base64, which cannot be printed (P103). Send the whole PDF, GIF, PNG, JPEG, TIFF or BMP file in base64, with nothing before or after it.'
const unreadable = { code: 'UnreadableFile', field: 'customParams[0].value' }

test.each([
  ['canonical base64', pdf, letter],
  ['canonical base64, for any contract', pdf, template],
  ['a data URL', dataUrl, letter],
  ['a data URL, for a contract that reports', dataUrl, reporting],
  ['a data URL that is to be printed as supplied', dataUrl, supplied],
  [
    'a data URL, for a template whose contract refuses',
    dataUrl,
    { ...template, unreadableFiles: 'refuse' },
  ],
])('accepts as a file: %s', async (_, value, contract) => {
  const taken = await take(value, contract, { key: 'pdfContent' })

  expect(taken).toMatchObject({ faults: [], remarks: [], kept: fileValueText })
  expect(taken.files).toMatchObject([{ fileId: 'pdfContent', mediaType: 'application/pdf' }])
})

describe('a value that looks like a file and cannot be printed', () => {
  test.each([
    ['cannot be decoded', cutOff, cannotBeDecoded],
    ['is of another kind', html, cannotBePrinted],
  ])('is refused if it %s', async (_, value, detail) => {
    const taken = await take(value, letter)

    expect(taken).toMatchObject({ faults: [{ ...unreadable, detail }], remarks: [], files: [] })
  })

  test.each([
    ['cannot be decoded', cutOff, cannotBeDecoded],
    ['is of another kind', html, cannotBePrinted],
  ])('stays text and is reported, if the contract allows it: it %s', async (_, value, detail) => {
    const remark = { ...unreadable, rule: 'unreadable-file' }
    const says = `${detail} It counts as text and is not printed.`

    expect(await take(value, reporting)).toMatchObject({
      faults: [],
      remarks: [{ ...remark, detail: says }],
      files: [],
      kept: value,
    })
    expect(await take(value, refusingLater)).toMatchObject({
      faults: [],
      remarks: [{ ...remark, detail: `${says} From 2027-02-01 it is refused.` }],
    })
  })

  test.each([
    ['a template', template, {}, 'is a PDF file, but not plain base64.'],
    [
      'something printed as supplied under another key',
      supplied,
      {},
      'is a PDF file, but not plain base64.',
    ],
    [
      'a letter that has an upload of the same name',
      reporting,
      { fileParams: [{ fileId: 'letter', uploadId: 'x' }] },
      'is a PDF file, but not plain base64.',
    ],
    [
      'a letter that has another file',
      reporting,
      { customParams: [{ key: 'other', value: pdf }] },
      'is a PDF file, but not plain base64.',
    ],
    [
      'a file that would be too large',
      reporting,
      { uploadBytesMax: 5 },
      'cannot be taken as a file: customParams[0].value is a file of 31 bytes; at most 5 are allowed.',
    ],
  ])(
    'is still accepted as a data URL by a contract that reports: %s',
    async (_, contract, options, says) => {
      expect(await take(dataUrl, contract, options)).toMatchObject({
        faults: [],
        remarks: [
          {
            detail: `customParams[0].value (key letter) ${says} It counts as text and is not printed.`,
          },
        ],
        kept: dataUrl,
      })
    },
  )

  test('is reported with the beginning of its key', async () => {
    const { faults } = await take(html, letter, { key: '😀'.repeat(300) })

    expect(faults[0]?.detail).toContain(`(key ${'😀'.repeat(60)}…) is an HTML page`)
  })
})

test('is reported as long base64 of an unknown kind under every contract', async () => {
  const key = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 89) % 251))

  expect(await take(key.toString('base64'), letter)).toMatchObject({
    faults: [],
    remarks: [{ rule: 'long-base64', code: 'LongBase64', field: 'customParams[0].value' }],
    files: [],
  })
})

test.each([
  ['a file that is too large', { uploadBytesMax: 5 }, 'customParams[0].value'],
  ['a key that is too long for a fileId', { key: 'k'.repeat(256) }, 'customParams[0].key'],
])('is refused: %s', async (_, options, field) => {
  for (const [value, contract] of [
    [pdf, reporting],
    [dataUrl, letter],
  ] as const) {
    expect((await take(value, contract, options)).faults).toMatchObject([{ field, code: 'Size' }])
  }
})

test.each([
  ['canonical base64 is compared as its file', pdf, fileValueText, 1],
  ['a data URL is compared as the text that it was', dataUrl, dataUrl, 0],
  ['text is compared as it is', cutOff, cutOff, 0],
])('%s', async (_, value, compared, files) => {
  const taken = await take(value, reporting)

  expect(taken.compared.customParams).toEqual([{ key: 'letter', value: compared }])
  expect(taken.compared.files).toHaveLength(files)
})
