import { randomBytes } from 'node:crypto'
import { mark } from './load.ts'

/** A print job as an upstream system sends it: every member that a letter may have, but no files. */
export const plainRequest = JSON.stringify({
  id: `bench-${mark}`,
  standardParams: {
    jobType: 'LETTER',
    templateReference: 'LETTER',
    businessIdentifier: 'CASE-2048-77',
    recipientName: 'Ms Rosalind Appleyard',
    address: {
      structuredAddress: {
        organisationName: 'Appleyard and Daughters',
        buildingNumber: '12',
        thoroughfareName: 'Mill Lane',
        dependentLocality: 'Westbrook',
        postTown: 'ANYTOWN',
        postcode: 'AB1 2CD',
        country: 'United Kingdom',
      },
    },
    handlingInstruction: { line1: 'Private', line2: 'If undelivered return to PO Box 1' },
    despatchMethod: 'FIRST',
  },
  customParams: [
    { key: 'documentNumber', value: 'APPLE901234RA9XX' },
    { key: 'issueNumber', value: '07' },
    { key: 'closingText', value: 'Please keep this letter. You will be asked for it again.' },
  ],
  callbackParams: {
    target: 'https://upstream.example/print-jobs/callback',
    authenticationHeader: 'Basic dXBzdHJlYW06c2VjcmV0',
    retryParams: { enabled: true, maxRetryWindow: 10_800 },
  },
})

/** A letter without files. Absent: the service chooses its id. */
export function letterOf(id?: string) {
  return {
    ...(id && { id }),
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      recipientName: 'Ms Rosalind Appleyard',
      address: {
        unstructuredAddress: { line1: '12 Mill Lane', line5: 'ANYTOWN', postcode: 'AB1 2CD' },
      },
    },
  }
}

const pdfBytes = 2 * 1024 * 1024

/**
 * Returns a print job that consists of one PDF file of 2 MiB, in base64. The mark is in the base64, where any digits
 * are valid.
 */
export function pdfRequest(): string {
  const head = Buffer.from('%PDF-1.7\n')
  const tail = Buffer.from('\n%%EOF\n')
  const base64 = Buffer.concat([
    head,
    randomBytes(pdfBytes - head.length - tail.length),
    tail,
  ]).toString('base64')
  const markAt = 64
  return JSON.stringify({
    standardParams: {
      jobType: 'NOTIFY',
      templateReference: 'NOTIFY',
      recipientName: 'Ms Rosalind Appleyard',
      address: {
        unstructuredAddress: { line1: '12 Mill Lane', line5: 'ANYTOWN', postcode: 'AB1 2CD' },
      },
    },
    customParams: [
      {
        key: 'pdfContent',
        value: base64.slice(0, markAt) + mark + base64.slice(markAt + mark.length),
      },
    ],
  })
}
