import { hash } from 'node:crypto'
import type { PrintJobRequest } from '@despatch/contracts/print-request/print-job-request'
import { expect, test } from 'vitest'
import { planSubmission, type SubmissionContext } from './plan-submission.ts'

const address = { unstructuredAddress: { line1: '1 High Street', postcode: 'AB1 2CD' } }

test('other work runs between the decoding of twenty files', async () => {
  const value = Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(375_000)]).toString('base64')
  const customParams = Array.from({ length: 20 }, (_, index) => ({ key: `file${index}`, value }))
  const request = { standardParams: {}, customParams } as PrintJobRequest
  const context: Partial<SubmissionContext> = {
    contracts: [],
    unknownMembers: { paths: [], count: 0 },
    uploadBytesMax: 1_000_000,
    now: new Date(),
  }
  let turns = 0
  let next: NodeJS.Immediate
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  count()

  const planned = await planSubmission(request, context as SubmissionContext)
  clearImmediate(next!)

  expect(planned).toMatchObject({ kind: 'refused', faults: [{ code: 'NotAgreed' }] })
  expect(turns).toBeGreaterThanOrEqual(19)
})

// Older rows have these fingerprints, and a late repetition is compared with them.
test.each<[what: string, value: string, detail: Partial<PrintJobRequest>]>([
  ['a data URL', `data:application/pdf;base64,${Buffer.from('%PDF-1.7').toString('base64')}`, {}],
  ['a file that cannot be decoded', 'JVBERi0xLjcKJeLjz', {}],
  [
    'callbacks with credentials, and a hold',
    'text',
    {
      callbackParams: { target: 'https://consumer.example/', authenticationHeader: 'Bearer abc' },
      sendControl: { hold: true },
    },
  ],
])(
  'the content has the same fingerprint as in a release that read it as text: %s',
  async (_, value, detail) => {
    const standardParams = { jobType: 'LETTER', templateReference: 'LETTER', address }
    const customParams = [{ key: 'letter', value }]
    const request = { standardParams, customParams, ...detail } as PrintJobRequest
    const context = {
      contracts: [
        { ...standardParams, production: 'letter', template: null, unreadableFiles: 'report' },
      ],
      unknownMembers: { paths: [], count: 0 },
      uploadBytesMax: 1_000_000,
      callbackAllow: [],
      seal: () => Buffer.alloc(0),
      now: new Date(),
    } as unknown as SubmissionContext

    const planned = await planSubmission(request, context)

    const { callbackParams, sendControl } = detail
    const parts = [standardParams, customParams, callbackParams, []]
    const asText = JSON.stringify(sendControl ? [...parts, sendControl] : parts)
    expect(planned).toMatchObject({ submission: { requestFingerprint: hash('sha256', asText) } })
  },
)

const withoutFile =
  'This letter has no file: only the address page will be printed. Send the file in base64 in customParams, such as ' +
  '{"key": "letter", "value": "…"}, or upload it and name it in fileParams.'
const pair = { jobType: 'LETTER', templateReference: 'LETTER' }
const contract = {
  ...pair,
  production: 'letter',
  template: null,
  templateData: false,
  unreadableFiles: 'refuse',
}
const fault = { field: 'body', code: 'LetterWithoutFile', detail: withoutFile }
const remark = { ...fault, rule: 'letter-without-file' }
const none = { faults: [], warnings: [] }

test.each<[string, object, object, object]>([
  [
    'a letter without a file',
    { lettersWithoutFile: 'report' },
    {},
    { ...none, warnings: [remark] },
  ],
  ['one that is refused', { lettersWithoutFile: 'refuse' }, {}, { ...none, faults: [fault] }],
  [
    'one that is refused later',
    { lettersWithoutFile: '2999-01-01' },
    {},
    {
      ...none,
      warnings: [{ ...remark, detail: `${withoutFile} From 2999-01-01 it is refused.` }],
    },
  ],
  ['a letter from a template', { templateData: true, lettersWithoutFile: 'refuse' }, {}, none],
  [
    'an inline file',
    { lettersWithoutFile: 'refuse' },
    { customParams: [{ key: 'letter', value: 'JVBERi0xLjc=' }] },
    none,
  ],
  [
    'an upload',
    { lettersWithoutFile: 'refuse' },
    { fileParams: [{ fileId: 'letter', uploadId: '11111111-1111-4111-8111-111111111111' }] },
    none,
  ],
  [
    'text',
    { lettersWithoutFile: 'refuse' },
    { customParams: [{ key: 'letter', value: 'Dear Madam' }] },
    { ...none, faults: [fault] },
  ],
  [
    'a file that is refused, which is enough',
    { lettersWithoutFile: 'refuse' },
    { customParams: [{ key: 'letter', value: 'JVBERi0xL' }] },
    { ...none, faults: [{ code: 'UnreadableFile' }] },
  ],
])('the findings of %s', async (_, terms, detail, expected) => {
  const request = { standardParams: { ...pair, address }, ...detail } as PrintJobRequest
  const context = {
    contracts: [{ ...contract, ...terms }],
    unknownMembers: { paths: [], count: 0 },
    uploadBytesMax: 1_000_000,
    now: new Date('2027-01-10T12:00:00Z'),
  } as unknown as SubmissionContext

  expect({ ...none, ...(await planSubmission(request, context)) }).toMatchObject(expected)
})

test('reports the first 50 of many remarks, and that there is no file', async () => {
  const value = Buffer.from('<html>').toString('base64')
  const customParams = Array.from({ length: 60 }, (_, index) => ({ key: `file${index}`, value }))
  const context = {
    contracts: [{ ...contract, unreadableFiles: 'report', lettersWithoutFile: 'report' }],
    unknownMembers: { paths: [], count: 0 },
    now: new Date(),
  } as unknown as SubmissionContext

  const request = { standardParams: { ...pair, address }, customParams } as PrintJobRequest
  const planned = await planSubmission(request, context)

  const { findings } = (planned as Extract<typeof planned, { kind: 'planned' }>).submission
  expect(findings).toHaveLength(51)
  expect(findings?.at(-1)).toMatchObject({ rule: 'letter-without-file', severity: 'note' })
})

test('the values of a template are never files, and the letter keeps its version', async () => {
  const customParams = [{ key: 'letter', value: 'JVBERi0xLjc=' }]
  const request = { standardParams: { ...pair, address }, customParams } as PrintJobRequest
  const terms = { template: 'renewal@3', templateLanguages: ['cy'], lettersWithoutFile: 'refuse' }
  const group = {
    kind: 'group',
    members: { letter: { kind: 'text', lengthMax: 20 } },
    optional: [],
  }
  const context = {
    contracts: [{ ...contract, ...terms }],
    fieldsOf: async () => ({ title: 'A letter', group, check: () => [] }),
    unknownMembers: { paths: [], count: 0 },
    now: new Date(),
  } as unknown as SubmissionContext

  expect(await planSubmission(request, context)).toMatchObject({
    kind: 'planned',
    submission: { customParams, files: [], template: 'renewal@3', templateLanguages: ['cy'] },
    warnings: [],
  })
})
