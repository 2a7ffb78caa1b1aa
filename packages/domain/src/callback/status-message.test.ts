import { expect, test } from 'vitest'
import { renderStatusMessage, type StatusChange } from './status-message.ts'

const despatched: StatusChange = {
  messageId: '7f1d1c55-1a6f-4f0b-9a53-6a6f4a3f0a11',
  sequence: 2,
  printJobId: 'A5C1B9D2-0000-4000-8000-ABCDEF012345',
  jobType: 'NOTIFY',
  templateReference: 'NO1',
  status: 'DESPATCHED',
  at: new Date('2026-03-02T23:59:59.987Z'),
  comment: null,
  despatchProperties: [
    { key: 'totalSheets', value: '5' },
    { key: 'postageClass', value: '1ST' },
    { key: 'mailingProduct', value: 'UNCODED' },
  ],
  correlationId: '0c2b6c5e-4b4b-4b7c-8f5e-1f5d2b0a9c33',
}

const read = (change: StatusChange) =>
  JSON.parse(new TextDecoder().decode(renderStatusMessage(change)))

test('says that a print job is despatched, and how', () => {
  expect(read(despatched)).toEqual({
    specVersion: '1',
    type: 'despatch.print.messages.v2.PrintJobStatus',
    source: 'despatch:print:fulfilment',
    id: '7f1d1c55-1a6f-4f0b-9a53-6a6f4a3f0a11',
    time: '2026-03-02T23:59:59.987Z',
    dataContentType: 'application/json',
    data: {
      jobId: 'A5C1B9D2-0000-4000-8000-ABCDEF012345',
      jobType: 'NOTIFY',
      templateReference: 'NO1',
      jobStatus: 'DESPATCHED',
      transitionDate: '2026-03-02T23:59:59Z',
      sequence: 2,
      despatchProperties: [
        { key: 'totalSheets', value: '5' },
        { key: 'postageClass', value: '1ST' },
        { key: 'mailingProduct', value: 'UNCODED' },
      ],
    },
    metadata: { correlationId: '0c2b6c5e-4b4b-4b7c-8f5e-1f5d2b0a9c33' },
  })
})

test('says that a print job is rejected and why, without despatch properties even if it has some', () => {
  const { data } = read({ ...despatched, status: 'REJECTED', comment: 'Page 2 is too wide' })

  expect(data).toEqual({
    jobId: 'A5C1B9D2-0000-4000-8000-ABCDEF012345',
    jobType: 'NOTIFY',
    templateReference: 'NO1',
    jobStatus: 'REJECTED',
    transitionDate: '2026-03-02T23:59:59Z',
    sequence: 2,
    comment: 'Page 2 is too wide',
  })
})

test('leaves out absent values, because consumers refuse null', () => {
  const { data } = read({ ...despatched, status: 'PENDING', despatchProperties: null })

  expect(Object.keys(data)).toEqual([
    'jobId',
    'jobType',
    'templateReference',
    'jobStatus',
    'transitionDate',
    'sequence',
  ])
})

test('writes text beyond ASCII as UTF-8', () => {
  const bytes = renderStatusMessage({ ...despatched, comment: 'Ŵ 😀' })

  expect(Buffer.from(bytes).includes(Buffer.from('Ŵ 😀', 'utf8'))).toBe(true)
})
