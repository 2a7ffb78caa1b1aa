import { expect, test } from 'vitest'
import {
  ownPrintJob,
  type PlannedDespatch,
  printJobResponseSchema,
  type StoredPrintJob,
} from './print-job-response.ts'

const standardParams = {
  jobType: 'NOTIFY',
  templateReference: 'NOTIFY',
  recipientName: 'A Person',
  address: { bfpoAddress: { line1: '123 Cpl A Smith', line2: null, bfpoNumber: 801 } },
}

const rendered = (job: StoredPrintJob, plan?: PlannedDespatch) =>
  printJobResponseSchema.decode(ownPrintJob(job, plan))

function aStoredJob(details: Partial<StoredPrintJob> = {}): StoredPrintJob {
  return {
    id: 'job-1',
    standardParams,
    customParams: null,
    callbackParams: null,
    files: [],
    status: 'QUARANTINE',
    comment: null,
    batchNumber: null,
    fulfilmentJobId: null,
    documentId: null,
    printLocation: null,
    serialNumber: null,
    despatchProperties: null,
    createdDate: new Date('2026-03-01T10:00:00.123Z'),
    updatedDate: new Date('2026-03-01T10:00:01Z'),
    printableAddress: null,
    addressOverriddenDate: null,
    purgedDate: null,
    ...details,
  }
}

test('leaves out unknown values, and returns the kind of address that was submitted', () => {
  expect(rendered(aStoredJob())).toEqual({
    id: 'job-1',
    standardParams,
    status: 'QUARANTINE',
    createdDate: '2026-03-01T10:00:00.123Z',
    updatedDate: '2026-03-01T10:00:01.000Z',
  })
})

test('returns all values of a despatched job', () => {
  const told = {
    comment: 'Posted',
    batchNumber: 'R1',
    fulfilmentJobId: 'F1',
    documentId: 'D1',
    printLocation: 'swansea',
    serialNumber: '7',
    despatchProperties: [{ key: 'totalSheets', value: '2' }],
    printableAddress: {
      line1: '123 Cpl A Smith',
      line2: 'BFPO 801',
      recipientLine1: 'A Person',
      recipientLine2: '',
      postcode: 'BF1 1AA',
      dps: null,
    },
  }

  const response = rendered(aStoredJob({ status: 'DESPATCHED', ...told }))

  expect(response).toMatchObject({ status: 'DESPATCHED', ...told })
})

test('lists files by their ids, without their content', () => {
  const response = rendered(
    aStoredJob({
      customParams: [
        { key: 'pdfContent', value: 'JVBERi0xLjcK' },
        { key: 'serviceIdentifier', value: 's1' },
      ],
      files: [{ fileId: 'pdfContent' }, { fileId: 'leaflet' }],
    }),
  )

  expect(response.customParams).toEqual([
    { key: 'pdfContent', value: 'See fileParams for file information' },
    { key: 'serviceIdentifier', value: 's1' },
  ])
  expect(response.fileParams).toEqual([{ fileId: 'pdfContent' }, { fileId: 'leaflet' }])
})

test('the extended view adds the planned dates that are known', () => {
  const job = aStoredJob()
  const unknown = {
    expectedDespatchDate: null,
    cancellableUntil: null,
    heldSince: null,
    notBefore: null,
  }
  const known = {
    expectedDespatchDate: '2026-03-05',
    cancellableUntil: new Date('2026-03-04T17:30:00Z'),
    heldSince: new Date('2026-03-02T09:00:00Z'),
    notBefore: new Date('2026-07-14T23:00:00Z'),
  }

  expect(rendered(job, unknown)).toEqual(rendered(job))
  expect(rendered(job, known)).toEqual({
    ...rendered(job),
    expectedDespatchDate: '2026-03-05',
    cancellableUntil: '2026-03-04T17:30:00.000Z',
    heldSince: '2026-03-02T09:00:00.000Z',
    notBefore: '2026-07-15',
  })
})

const target = 'https://example.com/callback'
test.for<[Partial<StoredPrintJob>, object]>([
  [{ callbackParams: { target } }, { target }],
  [
    { callbackParams: { target, authenticationHeader: null } },
    { target, authenticationHeader: null },
  ],
  [
    { callbackParams: { target, authenticationHeader: 'Bearer SECRET' } },
    { target, authenticationHeader: '********' },
  ],
])('masks a callback credential: %j', ([details, expected]) => {
  expect(rendered(aStoredJob(details)).callbackParams).toEqual(expected)
})
