import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import {
  bulkActionDetailsSchema,
  bulkActionQuerySchema,
  bulkActionsQuerySchema,
  bulkActionsSchema,
  confirmBulkActionSchema,
  ofBulkAction,
  planBulkActionSchema,
} from './bulk-action.ts'
import { administrationPath } from './paths.ts'

const bulkActions = `${administrationPath}/bulk-actions`
const bulkAction = `${bulkActions}/:bulkActionId`

const unknown = printErrorsSchema.describe('The bulk action does not exist')

export const planBulkAction = {
  method: 'POST',
  url: bulkActions,
  schema: {
    operationId: 'planBulkAction',
    tags: ['bulk actions'],
    summary: 'Plan a bulk action on print jobs',
    description:
      'Changes nothing until the plan is confirmed. The plan expires after 24 hours. For each print job, the response ' +
      'says whether the action is possible now, and if not, why.',
    security,
    body: planBulkActionSchema,
    response: {
      200: bulkActionDetailsSchema.describe('The same plan already exists'),
      201: bulkActionDetailsSchema,
      400: invalid,
      409: printErrorsSchema.describe(
        'Another plan has this id, no print job matches, too many do, or the search for a text is not complete yet',
      ),
      ...everywhere,
    },
  },
} as const

export const listBulkActions = {
  method: 'GET',
  url: bulkActions,
  schema: {
    operationId: 'listBulkActions',
    tags: ['bulk actions'],
    summary: 'List bulk actions with their progress',
    security,
    querystring: bulkActionsQuerySchema,
    response: { 200: bulkActionsSchema, 400: invalid, ...everywhere },
  },
} as const

export const getBulkAction = {
  method: 'GET',
  url: bulkAction,
  schema: {
    operationId: 'getBulkAction',
    tags: ['bulk actions'],
    summary: 'Get a bulk action with the outcome of each print job',
    description:
      'Returns up to 1,000 of its print jobs. Pass nextCursor as cursor to get the others.',
    security,
    params: ofBulkAction,
    querystring: bulkActionQuerySchema,
    response: { 200: bulkActionDetailsSchema, 400: invalid, 404: unknown, ...everywhere },
  },
} as const

export const confirmBulkAction = {
  method: 'POST',
  url: `${bulkAction}/confirm`,
  schema: {
    operationId: 'confirmBulkAction',
    tags: ['bulk actions'],
    summary: 'Confirm a bulk action',
    description:
      'The bulk action starts immediately. If it requires a second person, the operator who planned it gets 403, and so ' +
      'does one who is not independent of that operator: created by it, or connected with it within 7 days by an ' +
      'operator who created, enabled, or gave credentials or roles to one of them. ' +
      'Repeating the request is safe.',
    security,
    params: ofBulkAction,
    body: confirmBulkActionSchema,
    response: {
      200: bulkActionDetailsSchema,
      400: invalid,
      404: unknown,
      409: printErrorsSchema.describe(
        'The digest or count differs from the plan, or the plan has expired or was stopped',
      ),
      ...everywhere,
    },
  },
} as const

export const stopBulkAction = {
  method: 'POST',
  url: `${bulkAction}/stop`,
  schema: {
    operationId: 'stopBulkAction',
    tags: ['bulk actions'],
    summary: 'Stop a bulk action',
    description:
      'Print jobs that have not started are left unchanged. Completed ones are not undone. Stopping an unconfirmed ' +
      'plan withdraws it. Repeating the request is safe.',
    security,
    params: ofBulkAction,
    response: {
      200: bulkActionDetailsSchema,
      400: invalid,
      404: unknown,
      409: printErrorsSchema.describe('The bulk action has ended or expired'),
      ...everywhere,
    },
  },
} as const
