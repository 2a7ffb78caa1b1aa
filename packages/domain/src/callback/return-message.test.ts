import { expect, test } from 'vitest'
import { type ReportedReturn, renderReturnMessage } from './return-message.ts'

const told: ReportedReturn = {
  messageId: '7f1d1c55-1a6f-4f0b-9a53-6a6f4a3f0a11',
  sequence: 2,
  printJobId: 'A5C1B9D2-0000-4000-8000-ABCDEF012345',
  jobType: 'NOTIFY',
  templateReference: 'NO1',
  businessIdentifier: 'CASE-7',
  reasonCode: 'R02',
  disposition: 'DESTROYED',
  scannedAt: new Date('2026-03-19T10:11:12.987+01:00'),
  at: new Date('2026-03-20T23:59:59.987Z'),
  correlationId: '0c2b6c5e-4b4b-4b7c-8f5e-1f5d2b0a9c33',
}

const read = (given: ReportedReturn) =>
  JSON.parse(new TextDecoder().decode(renderReturnMessage(given)))

test('contains the reason of the return, and what was done with the letter', () => {
  expect(read(told)).toEqual({
    specVersion: '1',
    type: 'despatch.print.messages.v1.LetterReturned',
    source: 'despatch:print:fulfilment',
    id: '7f1d1c55-1a6f-4f0b-9a53-6a6f4a3f0a11',
    time: '2026-03-20T23:59:59.987Z',
    dataContentType: 'application/json',
    data: {
      jobId: 'A5C1B9D2-0000-4000-8000-ABCDEF012345',
      jobType: 'NOTIFY',
      templateReference: 'NO1',
      businessIdentifier: 'CASE-7',
      reasonCode: 'R02',
      reason: 'address incomplete',
      disposition: 'DESTROYED',
      returnedDate: '2026-03-19T09:11:12Z',
      sequence: 2,
    },
    metadata: { correlationId: '0c2b6c5e-4b4b-4b7c-8f5e-1f5d2b0a9c33' },
  })
})

test('leaves out a missing business identifier, because consumers refuse null', () => {
  expect(read({ ...told, businessIdentifier: null }).data).not.toHaveProperty('businessIdentifier')
})
