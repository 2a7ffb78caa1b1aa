import { expect, test } from 'vitest'
import { nameCall } from './operation-names.ts'

const runs = '/print-fulfilment/v1/print-runs'

test.each<[string, string, string, Record<string, string>]>([
  ['GET', runs, 'listPrintRuns', {}],
  ['POST', `${runs}/R1/claim`, 'claimPrintRun', { batchNumber: 'R1' }],
  ['GET', `${runs}/R1/manifest`, 'getManifest', { batchNumber: 'R1' }],
  [
    'HEAD',
    `${runs}/R1/documents/D1/content`,
    'getDocumentContent',
    { batchNumber: 'R1', documentId: 'D1' },
  ],
  [
    'GET',
    `${runs}/R1/fulfilment-jobs/J1/documents.zip`,
    'getDocumentsZip',
    { batchNumber: 'R1', fulfilmentJobId: 'J1' },
  ],
  ['POST', '/print-fulfilment/v1/postings/P1/confirm', 'confirmPosting', { postingId: 'P1' }],
  ['POST', '/thirdparty-access/v1/authenticate', 'authenticate', {}],
  ['GET', '/print-fulfilment/v1/openapi.json', 'openapi', {}],
  ['GET', '/presigned/secret/D1.pdf', 'file', {}],
  ['DELETE', `${runs}/R1/claim`, 'unknown', {}],
  ['GET', `${runs}/R1/fulfilment-jobs/J1/documentsXzip`, 'unknown', {}],
  ['GET', '/print-request/v1/print/jobs', 'unknown', {}],
])('%s %s is %s', (method, path, kind, params) =>
  expect(nameCall(method, path)).toEqual({ kind, params }),
)
