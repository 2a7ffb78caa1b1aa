import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import {
  bulkActionsQuerySchema,
  bulkActionsSchema,
  confirmBulkActionSchema,
  ofBulkAction,
  planBulkActionSchema,
  shownBulkActionSchema,
} from './bulk-action.ts'
import { administrationPath } from './paths.ts'

const bulkActions = `${administrationPath}/bulk-actions`
const bulkAction = `${bulkActions}/:bulkActionId`

const unknown = printErrorsSchema.describe('No such bulk action')

export const planBulkAction = {
  method: 'POST',
  url: bulkActions,
  schema: {
    operationId: 'planBulkAction',
    tags: ['bulk actions'],
    summary: 'Plan what is to be done with chosen print jobs',
    description:
      'Nothing is done with them until the plan is confirmed, within 24 hours. The answer tells for each of them whether it is possible now, and if not, why.',
    security,
    body: planBulkActionSchema,
    response: {
      200: shownBulkActionSchema.describe('This plan is there already'),
      201: shownBulkActionSchema,
      400: invalid,
      409: printErrorsSchema.describe('Another plan has that id'),
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
    summary: 'Read a bulk action with what became of each print job',
    security,
    params: ofBulkAction,
    response: { 200: shownBulkActionSchema, 400: invalid, 404: unknown, ...everywhere },
  },
} as const

export const confirmBulkAction = {
  method: 'POST',
  url: `${bulkAction}/confirm`,
  schema: {
    operationId: 'confirmBulkAction',
    tags: ['bulk actions'],
    summary: 'Have a plan carried out',
    description:
      'It begins at once. When it needs a second person, the planner is refused (403). Repeating it is safe.',
    security,
    params: ofBulkAction,
    body: confirmBulkActionSchema,
    response: {
      200: shownBulkActionSchema,
      400: invalid,
      404: unknown,
      409: printErrorsSchema.describe('It is another plan, has expired or was stopped'),
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
    summary: 'Leave alone the print jobs that have not been begun',
    description: 'What was done stays done. A plan is withdrawn by it. Repeating it is safe.',
    security,
    params: ofBulkAction,
    response: {
      200: shownBulkActionSchema,
      400: invalid,
      404: unknown,
      409: printErrorsSchema.describe('It has ended or expired'),
      ...everywhere,
    },
  },
} as const
