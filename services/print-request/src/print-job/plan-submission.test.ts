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
  ...{ id: 'agreed', production: 'letter', templateData: false, callbackStatuses: ['DESPATCHED'] },
  ...{ unreadableFiles: 'refuse', lettersWithoutFile: 'report', unknownMembers: 'report' },
  ...{ template: null, templateLanguages: null },
  holdForApproval: false,
}

const plan = (request: object, context: object = {}) =>
  planSubmission(
    { standardParams: { ...pair, address }, ...request } as PrintJobRequest,
    {
      ...{ contracts: [contract], unknownMembers: { paths: [], count: 0 } },
      ...{ uploadBytesMax: 1_000_000, now: new Date('2027-01-10T12:00:00Z') },
      ...{ callbackAllow: [], seal: (text: string) => Buffer.from(text) },
      ...context,
    } as unknown as SubmissionContext,
  )

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
  const planned = await plan(detail, { contracts: [{ ...contract, ...terms }] })

  expect({ ...none, ...planned }).toMatchObject(expected)
})

const reporting = { ...contract, unreadableFiles: 'report' }
const pdf = 'JVBERi0xLjc='
const html = { key: 'page', value: Buffer.from('<html>').toString('base64') }
const upload = { fileId: 'letter', uploadId: '11111111-1111-4111-8111-111111111111' }
const supplied = { ...contract, production: 'as-supplied', suppliedFileKey: 'letter' }
const types = Array.from({ length: 21 }, (_, index) => `TYPE${index + 10}`)
const ofTypes = (count: number) =>
  types.slice(0, count).map((jobType) => ({ jobType, templateReference: 'LETTER' }))
const notAgreed = (name: string, agreed: string) => ({
  field: `standardParams.${name}`,
  code: 'NotAgreed',
  detail: `standardParams.${name} is not agreed for this consumer. ${agreed}`,
})
const notNear = (code: string) => ({
  field: 'sendControl.notBefore',
  code,
  detail: 'sendControl.notBefore must be a day from 2027-01-10 to 2028-01-11, London time',
})
const noSupplied = {
  field: 'customParams',
  code: 'NotNull',
  detail: 'customParams must contain a PDF file in base64 with the key letter',
}

test.each<[what: string, request: object, context: object, faults: object[]]>([
  [
    'without any contract',
    {},
    { contracts: [] },
    [notAgreed('jobType', 'No contract is agreed yet: an operator can add one.')],
  ],
  [
    'of a type without a contract',
    {},
    { contracts: ofTypes(2).toReversed().concat(ofTypes(1)) },
    [notAgreed('jobType', 'Agreed: TYPE10, TYPE11.')],
  ],
  [
    'of one of 20 types',
    {},
    { contracts: ofTypes(20) },
    [notAgreed('jobType', `Agreed: ${types.slice(0, 20).join(', ')}.`)],
  ],
  [
    'of one of 21 types',
    {},
    { contracts: ofTypes(21) },
    [notAgreed('jobType', `Agreed: ${types.slice(0, 20).join(', ')}, and 1 more.`)],
  ],
  [
    'of a template without a contract for its type',
    {},
    { contracts: [...ofTypes(1), { ...contract, templateReference: 'OTHER' }] },
    [notAgreed('templateReference', 'Agreed: OTHER.')],
  ],
  [
    'with two files of one name',
    {
      customParams: [{ key: 'letter', value: pdf }],
      fileParams: [{ ...upload, fileId: 'a' }, upload],
    },
    {},
    [
      {
        field: 'fileParams[1].fileId',
        code: 'Duplicate',
        detail:
          'fileParams[1].fileId must be unique: a custom parameter with a file has the same key',
      },
    ],
  ],
  [
    'to print as supplied, without the file',
    { customParams: [{ key: 'other', value: pdf }] },
    { contracts: [supplied] },
    [noSupplied],
  ],
  [
    'to print as supplied, without any file',
    {},
    { contracts: [{ ...supplied, lettersWithoutFile: 'refuse' }] },
    [noSupplied],
  ],
  ['for yesterday', { sendControl: { notBefore: '2027-01-09' } }, {}, [notNear('Min')]],
  ['for a day too late', { sendControl: { notBefore: '2028-01-12' } }, {}, [notNear('Max')]],
  [
    'to a target that cannot be called',
    { callbackParams: { target: 'ftp://x' } },
    {},
    [expect.objectContaining({ field: 'callbackParams.target' })],
  ],
  [
    'with an unknown member',
    {},
    {
      contracts: [{ ...contract, unknownMembers: 'refuse' }],
      unknownMembers: { paths: ['colour'], count: 1 },
    },
    [expect.objectContaining({ field: 'colour', code: 'UnknownMember' })],
  ],
  [
    'without a file, perhaps because one cannot be read',
    { customParams: [html] },
    { contracts: [{ ...reporting, lettersWithoutFile: 'refuse' }] },
    [fault, expect.objectContaining({ field: 'customParams[0].value' })],
  ],
  [
    'with another fault than a file that cannot be read',
    { customParams: [html], sendControl: { notBefore: '2027-01-09' } },
    { contracts: [reporting] },
    [notNear('Min')],
  ],
])('refuses a letter %s', async (_, request, context, faults) => {
  expect(await plan(request, context)).toMatchObject({ kind: 'refused' })
  expect(await plan(request, context)).toHaveProperty('faults', faults)
})

test.each<[what: string, request: object, context: object]>([
  ['for today', { sendControl: { notBefore: '2027-01-10' } }, {}],
  ['for the last day', { sendControl: { notBefore: '2028-01-11' } }, {}],
  [
    'to print as supplied, with the file and another',
    { customParams: ['letter', 'other'].map((key) => ({ key, value: pdf })) },
    { contracts: [supplied] },
  ],
])('accepts a letter %s', async (_, request, context) => {
  expect(await plan(request, context)).toMatchObject({ kind: 'planned' })
})

test('stores what a request says, and what its contract adds', async () => {
  const standardParams = { ...pair, address, businessIdentifier: 'case 1' }
  const retryParams = { enabled: true, maxRetryWindow: 60 }
  const callbackParams = { target: 'https://consumer.example/a', retryParams }
  const given = { key: 'k', consumerId: 'c', idempotencyKey: null, newId: 'new' }
  const traced = { apiKeyHash: 'hash', correlationId: 'x', traceContext: null }

  const planned = await plan(
    {
      id: 'own',
      standardParams,
      fileParams: [upload],
      callbackParams,
      sendControl: { hold: true },
    },
    { ...given, ...traced, searchHasher: { termsOf: (letter: object) => letter } },
  )

  const files = [{ ...upload, source: 'upload' }]
  const stored = { fileId: 'letter', source: 'upload', uploadId: upload.uploadId }
  const content = [standardParams, null, callbackParams, [stored], { hold: true }]
  expect(planned).toEqual({
    kind: 'planned',
    inlineFiles: [],
    warnings: [],
    submission: {
      ...{ key: 'k', consumerId: 'c', idempotencyKey: null, id: 'own', ...traced },
      requestFingerprint: hash('sha256', JSON.stringify(content)),
      ...{ contractId: 'agreed', standardParams, producedAs: 'SECOND', customParams: null, files },
      callbackParams: { retryParams },
      callbackDestinationSealed: Buffer.from('["https://consumer.example/a"]').toString('hex'),
      ...{ callbackOrigin: 'https://consumer.example', callbackStatuses: ['DESPATCHED'] },
      ...{ notBefore: null, heldBy: 'consumer', unknownMembers: null, findings: null },
      ...{ template: null, templateLanguages: null },
      searchTerms: {
        ...{ key: 'k', correlationId: 'x', businessIdentifier: 'case 1' },
        addressees: [standardParams],
      },
    },
  })
})

test('a request has an id of ours, no callbacks and no search terms unless it is given them', async () => {
  const planned = await plan(
    { fileParams: [upload] },
    { newId: 'new', unknownMembers: { paths: ['colour'], count: 1 } },
  )

  expect(planned).toMatchObject({
    warnings: [{ field: 'colour', detail: 'colour is not known. Unknown members are ignored.' }],
    submission: {
      ...{ id: 'new', searchTerms: null, unknownMembers: ['colour'], findings: null },
      ...{ callbackParams: null, callbackDestinationSealed: null, callbackOrigin: null },
      ...{ notBefore: null, heldBy: null },
    },
  })
})

test('reports the first 50 of many remarks, and that there is no file', async () => {
  const value = Buffer.from('<html>').toString('base64')
  const customParams = Array.from({ length: 60 }, (_, index) => ({ key: `file${index}`, value }))

  const planned = await plan({ customParams }, { contracts: [reporting] })

  const { findings } = (planned as Extract<typeof planned, { kind: 'planned' }>).submission
  expect(findings).toHaveLength(51)
  expect(findings?.at(-1)).toMatchObject({ rule: 'letter-without-file', severity: 'note' })
})

test('the values of a template are never files, and the letter keeps its version', async () => {
  const customParams = [{ key: 'letter', value: 'JVBERi0xLjc=' }]
  const terms = { template: 'renewal@3', templateLanguages: ['cy'], lettersWithoutFile: 'refuse' }
  const group = {
    kind: 'group',
    members: { letter: { kind: 'text', lengthMin: 0, lengthMax: 20 } },
    optional: [],
  }
  const fieldsOf = async () => ({ title: 'A letter', group, check: () => [] })

  expect(
    await plan({ customParams }, { contracts: [{ ...contract, ...terms }], fieldsOf }),
  ).toMatchObject({
    kind: 'planned',
    submission: { customParams, files: [], template: 'renewal@3', templateLanguages: ['cy'] },
    warnings: [],
  })
})
