import { reprintActions } from '@despatch/domain/operator-action/reprint-actions'
import { printErrorsSchema } from '../print-request/problems.ts'
import { actionRoute, actionSchema } from './action-operation.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import { printJobReasonSchema } from './print-job.ts'
import {
  allReprintsQuerySchema,
  allReprintsSchema,
  decidedReprintSchema,
  ofReprint,
} from './reprint.ts'

const reprints = `${administrationPath}/reprints`
const reprintAnswers = {
  200: decidedReprintSchema,
  400: invalid,
  404: printErrorsSchema.describe('The reprint does not exist'),
  409: printErrorsSchema.describe(
    'The reprint has a different decision, or no longer waits for one',
  ),
  ...everywhere,
  403: printErrorsSchema.describe(
    'The caller does not have the required role, requested the reprint, or is not independent of the requester',
  ),
}

const bySecondPerson =
  'A person other than the one who requested the reprint, and independent of it, must decide. Repeating the request is safe.'

export const listReprints = {
  method: 'GET',
  url: reprints,
  schema: {
    operationId: 'listReprints',
    tags: ['reprints'],
    summary: 'List reprints, all or only those that wait for a decision',
    security,
    querystring: allReprintsQuerySchema,
    response: { 200: allReprintsSchema, 400: invalid, ...everywhere },
  },
} as const

export const authoriseReprint = {
  ...actionRoute(reprintActions.authorise),
  schema: {
    ...actionSchema(reprintActions.authorise, bySecondPerson),
    tags: ['reprints'],
    summary: 'Authorise a reprint',
    params: ofReprint,
    response: reprintAnswers,
  },
} as const

export const refuseReprint = {
  ...actionRoute(reprintActions.refuse),
  schema: {
    ...actionSchema(reprintActions.refuse, bySecondPerson),
    tags: ['reprints'],
    summary: 'Refuse a reprint',
    params: ofReprint,
    body: printJobReasonSchema,
    response: reprintAnswers,
  },
} as const
