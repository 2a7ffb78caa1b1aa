import { z } from 'zod'
import { binary } from '../binary.ts'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import { ofPrintJob } from './print-job.ts'

const printJob = `${administrationPath}/print-jobs/:printJobKey`
const isRecorded = 'Viewing is audited, at most once an hour for each operator and print job.'

const noProof = {
  ...everywhere,
  400: invalid,
  404: printErrorsSchema.describe('The print job (code 5) or the page does not exist'),
  409: printErrorsSchema.describe('The print job is still being checked, or has been purged'),
  503: printErrorsSchema.describe(
    'Too many letters are being drawn at present, or this one is too complex',
  ),
}

export const getProofByKey = {
  method: 'GET',
  url: `${printJob}/proof.pdf`,
  schema: {
    operationId: 'getProofByKey',
    tags: ['print jobs'],
    summary: 'Get the proof of a print job',
    description: `The proof contains the findings and a picture of each page with its findings. ${isRecorded}`,
    security,
    params: ofPrintJob,
    response: {
      200: { description: 'The proof', content: { 'application/pdf': { schema: binary } } },
      ...noProof,
    },
  },
} as const

export const getProofPageByKey = {
  method: 'GET',
  url: `${printJob}/proof/:page.png`,
  schema: {
    operationId: 'getProofPageByKey',
    tags: ['print jobs'],
    summary: 'Get a page of the proof of a print job',
    description: `Pages are counted in the letter, from 1. ${isRecorded}`,
    security,
    params: ofPrintJob.extend({ page: z.string().describe('Page of the letter, from 1') }),
    response: {
      200: { description: 'The page', content: { 'image/png': { schema: binary } } },
      ...noProof,
    },
  },
} as const

export const exportEvidence = {
  method: 'GET',
  url: `${printJob}/evidence.zip`,
  schema: {
    operationId: 'exportEvidence',
    tags: ['print jobs'],
    summary: 'Export the evidence of a print job',
    description:
      'Returns everything that is known of the print job, for an auditor or a complaint. The ZIP explains itself: ' +
      'start with README.txt. It contains personal data and no credentials. The export is audited with its operator.',
    security,
    params: ofPrintJob,
    response: {
      ...everywhere,
      200: { description: 'The evidence', content: { 'application/zip': { schema: binary } } },
      400: invalid,
      404: printErrorsSchema.describe('The print job does not exist'),
      503: printErrorsSchema.describe(
        'The object store does not respond, or too much is being exported. Nothing was exported',
      ),
    },
  },
} as const
