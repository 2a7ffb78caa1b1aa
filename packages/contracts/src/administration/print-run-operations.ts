import {
  printRunActions,
  settleRecall as settleRecallAction,
} from '@despatch/domain/operator-action/print-run-actions'
import { printErrorsSchema } from '../print-request/problems.ts'
import { actionRoute, actionSchema } from './action-operation.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import { postingsQuerySchema, postingsSchema } from './posting.ts'
import {
  countPostingSchema,
  postedOnBehalfSchema,
  postingCountSchema,
  postOnBehalfSchema,
} from './posting-on-behalf.ts'
import {
  closePrintRunOnBehalfSchema,
  countRecallSchema,
  ofPrintRun,
  printRunDetailsSchema,
  printRunSummariesQuerySchema,
  printRunSummariesSchema,
  reassignCountSchema,
  reassignedRunSchema,
  reassignPrintRunSchema,
  recallCountSchema,
  recallPrintRunSchema,
  recallResultSchema,
} from './print-run.ts'
import {
  countSettlementSchema,
  ofRecall,
  recallSchema,
  recallsQuerySchema,
  recallsSchema,
  settlementCountSchema,
  settleRecallSchema,
} from './recall.ts'

const printRuns = `${administrationPath}/print-runs`
const printRun = `${printRuns}/:batchNumber`
/** Enough for 5,000 documents. */
const postingBytesMax = 512 * 1024
/** Enough for the most documents of one recall. */
const settlementBytesMax = 4 * 1024 * 1024
const unknownRun = printErrorsSchema.describe('The print run does not exist')
export const listPrintRuns = {
  method: 'GET',
  url: printRuns,
  schema: {
    operationId: 'listPrintRuns',
    tags: ['print runs'],
    summary: 'List print runs of all providers, newest first',
    security,
    querystring: printRunSummariesQuerySchema,
    response: { 200: printRunSummariesSchema, 400: invalid, ...everywhere },
  },
} as const

export const getPrintRun = {
  method: 'GET',
  url: printRun,
  schema: {
    operationId: 'getPrintRun',
    tags: ['print runs'],
    summary: 'Get a print run with its reconciliation',
    security,
    params: ofPrintRun,
    response: { 200: printRunDetailsSchema, 400: invalid, 404: unknownRun, ...everywhere },
  },
} as const

export const releasePrintRun = {
  ...actionRoute(printRunActions.release),
  schema: {
    ...actionSchema(
      printRunActions.release,
      'It is released within seconds of the response. Repeating the request is safe.',
    ),
    tags: ['print runs'],
    summary: 'Release an open print run immediately',
    params: ofPrintRun,
    response: {
      200: printRunDetailsSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe('The print run was already released by its cut-off'),
      ...everywhere,
    },
  },
} as const

// Counts have paths of their own: a server that does not know them answers 404, and nothing is done.
export const countReassignment = {
  method: 'POST',
  url: `${printRun}/move/count`,
  schema: {
    operationId: 'countReassignment',
    tags: ['print runs'],
    summary: 'Count the documents of a reassignment',
    description:
      'Counts the documents that a reassignment would include. Those in an open recall are not. Nothing is reassigned.',
    security,
    params: ofPrintRun,
    response: {
      200: reassignCountSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe('The print run cannot be reassigned'),
      ...everywhere,
    },
  },
} as const

export const reassignPrintRun = {
  ...actionRoute(printRunActions.move),
  schema: {
    ...actionSchema(
      printRunActions.move,
      'The documents keep their ids. A claimed print run is voided and its documents get a higher attempt. You must ' +
        'therefore be certain that they were not and will not be printed. A provider confirms this by refusing the ' +
        'whole run. A print run that a provider has accepted cannot be reassigned. This cannot be undone: count the ' +
        'documents first, then send the count as expectedCount.',
    ),
    tags: ['print runs'],
    summary: 'Reassign a print run to another site',
    params: ofPrintRun,
    body: reassignPrintRunSchema,
    response: {
      201: reassignedRunSchema,
      400: invalid,
      404: printErrorsSchema.describe('The print run or the site does not exist'),
      409: printErrorsSchema.describe('The print run cannot be reassigned, or not to this site'),
      ...everywhere,
    },
  },
} as const

export const countRecall = {
  method: 'POST',
  url: `${printRun}/recalls/count`,
  schema: {
    operationId: 'countRecall',
    tags: ['print runs'],
    summary: 'Count the documents of a recall',
    description: 'Counts the documents that a recall would include. Nothing is recalled.',
    security,
    params: ofPrintRun,
    body: countRecallSchema,
    response: {
      200: recallCountSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe('No document is left to recall'),
      ...everywhere,
    },
  },
} as const

export const recallPrintRun = {
  ...actionRoute(printRunActions.recall),
  schema: {
    ...actionSchema(
      printRunActions.recall,
      'If the print run is unclaimed or its provider has refused the whole run, the documents are recalled immediately ' +
        'and their print jobs rejected. Otherwise the provider is asked which documents it can still stop. This cannot be ' +
        'undone: count the documents first, then send the count as expectedCount.',
    ),
    tags: ['print runs'],
    summary: 'Recall documents of a print run',
    params: ofPrintRun,
    body: recallPrintRunSchema,
    response: {
      200: recallResultSchema.describe('The documents are recalled'),
      202: recallResultSchema.describe('The provider is asked to stop the documents'),
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'No document is left to recall, or there are more than expected. Nothing is recalled',
      ),
      ...everywhere,
    },
  },
} as const

export const listRecalls = {
  method: 'GET',
  url: `${administrationPath}/recalls`,
  schema: {
    operationId: 'listRecalls',
    tags: ['print runs'],
    summary: 'List recalls, newest first',
    security,
    querystring: recallsQuerySchema,
    response: { 200: recallsSchema, 400: invalid, ...everywhere },
  },
} as const

export const countSettlement = {
  method: 'POST',
  url: `${administrationPath}/recalls/:recallId/settle/count`,
  bodyLimit: settlementBytesMax,
  schema: {
    operationId: 'countSettlement',
    tags: ['print runs'],
    summary: 'Count the documents that settling a recall would stop',
    description:
      'Counts the documents that would be recalled and those that would be too late. If an operator has already ' +
      'settled the recall with the same choice, returns the counts of that settlement. Nothing is settled.',
    security,
    params: ofRecall,
    body: countSettlementSchema,
    response: {
      200: settlementCountSchema,
      400: invalid,
      404: printErrorsSchema.describe('The recall does not exist'),
      409: printErrorsSchema.describe('The recall already has a different answer'),
      ...everywhere,
    },
  },
} as const

export const settleRecall = {
  ...actionRoute(settleRecallAction),
  bodyLimit: settlementBytesMax,
  schema: {
    ...actionSchema(
      settleRecallAction,
      'For a provider that answered by other means or no longer operates. The documents that are not too late are ' +
        'recalled and their print jobs rejected. The provider can no longer answer. This cannot be undone: count the ' +
        'documents first, then send the count as expectedCount. Repeating the request is safe.',
    ),
    tags: ['print runs'],
    summary: 'Answer an open recall on behalf of the provider',
    params: ofRecall,
    body: settleRecallSchema,
    response: {
      200: recallSchema,
      400: invalid,
      404: printErrorsSchema.describe('The recall does not exist'),
      409: printErrorsSchema.describe(
        'The recall already has a different answer, or it would stop more documents than expected. Nothing is settled',
      ),
      ...everywhere,
    },
  },
} as const

export const countPosting = {
  method: 'POST',
  url: `${printRun}/postings/count`,
  bodyLimit: postingBytesMax,
  schema: {
    operationId: 'countPosting',
    tags: ['print runs'],
    summary: 'Count the documents of a posting on behalf of the provider',
    description:
      'Counts the documents that a posting on behalf of the provider would include. If you repeat a posting, send its ' +
      'postingKey: its documents are counted as it was recorded. Nothing is recorded.',
    security,
    params: ofPrintRun,
    body: countPostingSchema,
    response: {
      200: postingCountSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The print run is not in production, or documents cannot be posted. Contains one error for each of up to 100 ' +
          'documents',
      ),
      ...everywhere,
    },
  },
} as const

export const listPostings = {
  method: 'GET',
  url: `${printRun}/postings`,
  schema: {
    operationId: 'listPostings',
    tags: ['print runs'],
    summary: 'List the postings of a print run, newest first',
    security,
    params: ofPrintRun,
    querystring: postingsQuerySchema,
    response: { 200: postingsSchema, 400: invalid, 404: unknownRun, ...everywhere },
  },
} as const

export const postOnBehalf = {
  ...actionRoute(printRunActions.post),
  bodyLimit: postingBytesMax,
  schema: {
    ...actionSchema(
      printRunActions.post,
      'For a provider that no longer operates or that reported the posting by other means. The consumers are notified ' +
        'immediately. This cannot be undone: count the documents first, then send the count as expectedCount. Your ' +
        'statement replaces what the provider has not reported about the ' +
        'documents, including reprints. If the provider was seen in the last hour, or within the time that it may be ' +
        'away, only documents settled as too late to recall are accepted. Either all documents are recorded or none.',
    ),
    tags: ['print runs'],
    summary: 'Record a posting on behalf of the provider',
    params: ofPrintRun,
    body: postOnBehalfSchema,
    response: {
      201: postedOnBehalfSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The print run is not in production, documents cannot be posted, or there are more than expected. Nothing is ' +
          'recorded. Contains one error for each of up to 100 documents that cannot be posted',
      ),
      ...everywhere,
    },
  },
} as const

export const closePrintRunOnBehalf = {
  ...actionRoute(printRunActions.close),
  schema: {
    ...actionSchema(
      printRunActions.close,
      'For a provider that no longer operates. Repeating the request is safe.',
    ),
    tags: ['print runs'],
    summary: 'Close a print run on behalf of the provider',
    params: ofPrintRun,
    body: closePrintRunOnBehalfSchema,
    response: {
      200: printRunDetailsSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The provider has not acknowledged the print run, or documents are unaccounted for. Contains one error for each ' +
          'of up to 100 documents',
      ),
      ...everywhere,
    },
  },
} as const
