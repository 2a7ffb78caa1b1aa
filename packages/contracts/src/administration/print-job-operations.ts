import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import { printErrorsSchema } from '../print-request/problems.ts'
import { actionRoute, actionSchema } from './action-operation.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import {
  countPrintJobsSchema,
  listedPrintJobsSchema,
  listPrintJobsSchema,
  ofPrintJob,
  overrideAddressSchema,
  printJobCountSchema,
  printJobDetailsSchema,
  printJobReasonSchema,
} from './print-job.ts'

const printJobs = `${administrationPath}/print-jobs`
const printJob = `${printJobs}/:printJobKey`

const changed = {
  200: printJobDetailsSchema,
  400: invalid,
  404: printErrorsSchema.describe('The print job does not exist'),
  409: printErrorsSchema.describe('Not possible now. The detail says why'),
  ...everywhere,
}

export const listPrintJobs = {
  method: 'POST',
  url: `${printJobs}/search`,
  schema: {
    operationId: 'listPrintJobs',
    tags: ['print jobs'],
    summary: 'Search print jobs',
    description:
      'The operation is a POST because search terms may be personal and URLs are logged on the way.',
    security,
    body: listPrintJobsSchema,
    response: { 200: listedPrintJobsSchema, 400: invalid, ...everywhere },
  },
} as const

export const countPrintJobs = {
  method: 'POST',
  url: `${printJobs}/count`,
  schema: {
    operationId: 'countPrintJobs',
    tags: ['print jobs'],
    summary: 'Count print jobs',
    description:
      'Takes the filters of the search. A count by status and consumer is exact. Otherwise at most 10,000 print jobs are ' +
      'counted, or 1,000 with find. If no index has what is searched for, or more than 10,000 print jobs, only the newest ' +
      '20,000 are read. The operation is a POST because search terms may be personal and URLs are logged on the way.',
    security,
    body: countPrintJobsSchema,
    response: { 200: printJobCountSchema, 400: invalid, ...everywhere },
  },
} as const

export const getPrintJobByKey = {
  method: 'GET',
  url: printJob,
  schema: {
    operationId: 'getPrintJobByKey',
    tags: ['print jobs'],
    summary: 'Get a print job with its timeline, files, callbacks and actions',
    security,
    params: ofPrintJob,
    response: {
      200: printJobDetailsSchema,
      400: invalid,
      404: printErrorsSchema.describe('The print job does not exist'),
      ...everywhere,
    },
  },
} as const

export const holdPrintJobByKey = {
  ...actionRoute(printJobActions.hold),
  schema: {
    ...actionSchema(
      printJobActions.hold,
      'A print job that is already in a print run is removed from it if no provider has claimed the run.',
    ),
    tags: ['print jobs'],
    summary: 'Hold a print job',
    params: ofPrintJob,
    body: printJobReasonSchema,
    response: changed,
  },
} as const

export const releasePrintJobByKey = {
  ...actionRoute(printJobActions.release),
  schema: {
    ...actionSchema(printJobActions.release),
    tags: ['print jobs'],
    summary: 'Release a held print job',
    params: ofPrintJob,
    body: printJobReasonSchema,
    response: changed,
  },
} as const

export const cancelPrintJob = {
  ...actionRoute(printJobActions.cancel),
  schema: {
    ...actionSchema(printJobActions.cancel),
    tags: ['print jobs'],
    summary: 'Cancel a print job',
    params: ofPrintJob,
    body: printJobReasonSchema,
    response: changed,
  },
} as const

export const redrivePrintJob = {
  ...actionRoute(printJobActions.redrive),
  schema: {
    ...actionSchema(printJobActions.redrive),
    tags: ['print jobs'],
    summary: 'Redrive a parked print job',
    params: ofPrintJob,
    body: printJobReasonSchema,
    response: changed,
  },
} as const

export const overrideAddress = {
  ...actionRoute(printJobActions['override-address']),
  schema: {
    ...actionSchema(
      printJobActions['override-address'],
      'The letter is made again immediately under the same document id. The submitted address is kept. Nothing changes ' +
        'if the letter would be refused or already has this address.',
    ),
    tags: ['print jobs'],
    summary: 'Correct the address of a held print job',
    params: ofPrintJob,
    body: overrideAddressSchema,
    response: changed,
  },
} as const
