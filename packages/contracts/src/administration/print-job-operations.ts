import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import {
  findPrintJobsSchema,
  foundPrintJobsSchema,
  ofPrintJob,
  overrideAddressSchema,
  printJobReasonSchema,
  shownPrintJobSchema,
} from './print-job.ts'

const printJobs = `${administrationPath}/print-jobs`
const printJob = `${printJobs}/:printJobKey`

const changed = {
  200: shownPrintJobSchema,
  400: invalid,
  404: printErrorsSchema.describe('No such print job'),
  409: printErrorsSchema.describe('Not possible now; the detail says why'),
  ...everywhere,
}

export const findPrintJobs = {
  method: 'POST',
  url: `${printJobs}/search`,
  schema: {
    operationId: 'findPrintJobs',
    tags: ['print jobs'],
    summary: 'Find print jobs by whatever is known of them',
    description: 'A POST: what is looked for may be personal, and addresses are logged on the way.',
    security,
    body: findPrintJobsSchema,
    response: { 200: foundPrintJobsSchema, 400: invalid, ...everywhere },
  },
} as const

export const showPrintJob = {
  method: 'GET',
  url: printJob,
  schema: {
    operationId: 'showPrintJob',
    tags: ['print jobs'],
    summary: 'Read a print job with its timeline, files, callbacks and what may be done with it',
    security,
    params: ofPrintJob,
    response: {
      200: shownPrintJobSchema,
      400: invalid,
      404: printErrorsSchema.describe('No such print job'),
      ...everywhere,
    },
  },
} as const

export const holdAnyPrintJob = {
  method: 'POST',
  url: `${printJob}/hold`,
  schema: {
    operationId: 'holdAnyPrintJob',
    tags: ['print jobs'],
    summary: 'Keep a print job out of print runs until it is released',
    description:
      'One that a print run holds is taken out of it, as long as no provider has claimed it.',
    security,
    params: ofPrintJob,
    body: printJobReasonSchema,
    response: changed,
  },
} as const

export const releaseAnyPrintJob = {
  method: 'POST',
  url: `${printJob}/release`,
  schema: {
    operationId: 'releaseAnyPrintJob',
    tags: ['print jobs'],
    summary: 'Let a held print job go on',
    security,
    params: ofPrintJob,
    body: printJobReasonSchema,
    response: changed,
  },
} as const

export const cancelPrintJob = {
  method: 'POST',
  url: `${printJob}/cancel`,
  schema: {
    operationId: 'cancelPrintJob',
    tags: ['print jobs'],
    summary: 'Delete a PENDING print job in the stead of its consumer',
    security,
    params: ofPrintJob,
    body: printJobReasonSchema,
    response: changed,
  },
} as const

export const redrivePrintJob = {
  method: 'POST',
  url: `${printJob}/redrive`,
  schema: {
    operationId: 'redrivePrintJob',
    tags: ['print jobs'],
    summary: 'Have a parked print job tried again',
    security,
    params: ofPrintJob,
    body: printJobReasonSchema,
    response: changed,
  },
} as const

export const overrideAddress = {
  method: 'POST',
  url: `${printJob}/address`,
  schema: {
    operationId: 'overrideAddress',
    tags: ['print jobs'],
    summary: 'Correct the address of a held print job',
    description:
      'Wants the role of address-editor, or of admin. The letter is made again at once, with the number that its document has; ' +
      'what was submitted is kept. Nothing changes where the letter would be refused, or already has this address.',
    security,
    params: ofPrintJob,
    body: overrideAddressSchema,
    response: changed,
  },
} as const
