import { printJobRequestSchema } from '@despatch/contracts/print-request/print-job-request'
import { expect, test } from 'vitest'
import { parseRecipient } from '../jobs/parse-recipient.ts'
import { requestOf } from './submit-job.ts'

const recipient = parseRecipient('A Person, 1 High Street, LS1 1AA')
const agreed = { to: '', type: 'LETTER', template: 'PLAIN' }
const uploadId = '11111111-1111-4111-8111-111111111111'

test('the least that is given makes the least request', () => {
  const customParams = [{ key: 'pdfContent', value: 'JVBERg==' }]

  expect(requestOf(agreed, recipient, { customParams })).toEqual({
    standardParams: { jobType: 'LETTER', templateReference: 'PLAIN', ...recipient },
    customParams,
  })
})

test('everything that is given is in the request, as the interface takes it', () => {
  const options = {
    ...agreed,
    id: 'job-1',
    businessIdentifier: 'case-1',
    notBefore: '2026-02-01',
    hold: true,
    method: 'FIRST',
  } as const

  const request = requestOf(options, recipient, { fileParams: [{ fileId: 'letter', uploadId }] })

  expect(printJobRequestSchema.parse(request)).toEqual({
    id: 'job-1',
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'PLAIN',
      businessIdentifier: 'case-1',
      despatchMethod: 'FIRST',
      ...recipient,
    },
    fileParams: [{ fileId: 'letter', uploadId }],
    sendControl: { notBefore: '2026-02-01', hold: true },
  })
})
