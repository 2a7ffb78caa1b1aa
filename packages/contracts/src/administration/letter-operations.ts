import { z } from 'zod'
import { binary } from '../binary.ts'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import { ofPrintJob } from './print-job.ts'

const printJob = `${administrationPath}/print-jobs/:printJobKey`
const isRecorded =
  'That it was looked at is told in the record of changes, at most once an hour for each operator and print job.'

const noProof = {
  ...everywhere,
  400: invalid,
  404: printErrorsSchema.describe('No such print job (code 5), or no such page'),
  409: printErrorsSchema.describe('The print job is still being checked, or has been purged'),
  503: printErrorsSchema.describe(
    'Too many letters are being drawn at present, or this one is too complex',
  ),
}

export const showAnyProof = {
  method: 'GET',
  url: `${printJob}/proof.pdf`,
  schema: {
    operationId: 'showAnyProof',
    tags: ['print jobs'],
    summary: 'See the letter of a print job',
    description: `What was found in it, and each page as a picture with the findings. ${isRecorded}`,
    security,
    params: ofPrintJob,
    response: {
      200: { description: 'The proof', content: { 'application/pdf': { schema: binary } } },
      ...noProof,
    },
  },
} as const

export const showAnyProofPage = {
  method: 'GET',
  url: `${printJob}/proof/:page.png`,
  schema: {
    operationId: 'showAnyProofPage',
    tags: ['print jobs'],
    summary: 'See one page of the letter of a print job',
    description: `Pages are those of the letter, from 1. ${isRecorded}`,
    security,
    params: ofPrintJob.extend({ page: z.string().describe('Of the letter, from 1') }),
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
    summary: 'Export everything that is known of a print job, for an auditor or a complaint',
    description:
      'A ZIP that explains itself: begin with README.txt. It holds what is personal, and no credentials. Who exported it ' +
      'is told in the record of changes.',
    security,
    params: ofPrintJob,
    response: {
      ...everywhere,
      200: { description: 'The evidence', content: { 'application/zip': { schema: binary } } },
      400: invalid,
      404: printErrorsSchema.describe('No such print job'),
      503: printErrorsSchema.describe('The object store does not answer; nothing was exported'),
    },
  },
} as const
