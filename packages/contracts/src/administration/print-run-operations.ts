import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import { postedInSteadSchema, postInSteadSchema } from './posting-in-stead.ts'
import {
  closeAnyPrintRunSchema,
  movedRunSchema,
  movePrintRunSchema,
  ofPrintRun,
  overseenRunsQuerySchema,
  overseenRunsSchema,
  reason,
  recallPrintRunSchema,
  recallResultSchema,
  shownRunSchema,
} from './print-run.ts'
import {
  askedRecallSchema,
  askedRecallsQuerySchema,
  askedRecallsSchema,
  ofRecall,
  settleRecallSchema,
} from './recall.ts'
import {
  decidedReprintSchema,
  everyReprintQuerySchema,
  everyReprintSchema,
  ofReprint,
} from './reprint.ts'

const printRuns = `${administrationPath}/print-runs`
const printRun = `${printRuns}/:batchNumber`
const reprints = `${administrationPath}/reprints`
const reprint = `${reprints}/:reprintId`
/** Enough for 5,000 documents. */
const postingBytesMax = 512 * 1024
/** Enough for the most documents of one recall. */
const settlementBytesMax = 4 * 1024 * 1024
const unknownRun = printErrorsSchema.describe('No such print run')
const reprintAnswers = {
  200: decidedReprintSchema,
  400: invalid,
  404: printErrorsSchema.describe('No such reprint'),
  409: printErrorsSchema.describe('It was decided the other way, or nothing waits any more'),
  ...everywhere,
  403: printErrorsSchema.describe('The caller lacks the role, or asked for the reprint itself'),
}

export const listAllPrintRuns = {
  method: 'GET',
  url: printRuns,
  schema: {
    operationId: 'listAllPrintRuns',
    tags: ['print runs'],
    summary: 'List the print runs of all providers, the newest first',
    security,
    querystring: overseenRunsQuerySchema,
    response: { 200: overseenRunsSchema, 400: invalid, ...everywhere },
  },
} as const

export const getPrintRun = {
  method: 'GET',
  url: printRun,
  schema: {
    operationId: 'getPrintRun',
    tags: ['print runs'],
    summary: 'Read a print run with its account',
    security,
    params: ofPrintRun,
    response: { 200: shownRunSchema, 400: invalid, 404: unknownRun, ...everywhere },
  },
} as const

export const releasePrintRun = {
  method: 'POST',
  url: `${printRun}/release`,
  schema: {
    operationId: 'releasePrintRun',
    tags: ['print runs'],
    summary: 'Have an open print run released at once instead of at its cut-off',
    description: 'It is released within seconds after the answer. Repeating it is safe.',
    security,
    params: ofPrintRun,
    response: {
      200: shownRunSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe('The print run has been released already, by its cut-off'),
      ...everywhere,
    },
  },
} as const

export const movePrintRun = {
  method: 'POST',
  url: `${printRun}/move`,
  schema: {
    operationId: 'movePrintRun',
    tags: ['print runs'],
    summary: 'Have the documents of a print run printed elsewhere',
    description:
      'They go on in a fresh print run, under the numbers that they have. A print run that a provider has claimed is ' +
      'voided and its documents get a higher attempt: it must be certain that they were not and will not be printed, which ' +
      'its provider says itself by refusing it as a whole. One that a provider has accepted cannot be moved.',
    security,
    params: ofPrintRun,
    body: movePrintRunSchema,
    response: {
      201: movedRunSchema,
      400: invalid,
      404: printErrorsSchema.describe('No such print run, or no such site'),
      409: printErrorsSchema.describe('The print run cannot be moved, or not to that site'),
      ...everywhere,
    },
  },
} as const

export const recallPrintRun = {
  method: 'POST',
  url: `${printRun}/recalls`,
  schema: {
    operationId: 'recallPrintRun',
    tags: ['print runs'],
    summary: 'Stop documents of a print run',
    description:
      'Of a print run that nobody has claimed, or that its provider has refused as a whole, they are recalled at once, and ' +
      'their print jobs rejected. The provider of another is asked which it can still stop.',
    security,
    params: ofPrintRun,
    body: recallPrintRunSchema,
    response: {
      200: recallResultSchema.describe('They are recalled'),
      202: recallResultSchema.describe('The provider is asked'),
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe('Nothing is left to be recalled'),
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
    summary: 'List what providers were asked to stop, the newest first',
    security,
    querystring: askedRecallsQuerySchema,
    response: { 200: askedRecallsSchema, 400: invalid, ...everywhere },
  },
} as const

export const settleRecall = {
  method: 'POST',
  url: `${administrationPath}/recalls/:recallId/settle`,
  bodyLimit: settlementBytesMax,
  schema: {
    operationId: 'settleRecall',
    tags: ['print runs'],
    summary: "Answer an open recall in the provider's stead",
    description:
      'For a provider that told you by other means, or that is gone. The documents that are not too late are recalled, and ' +
      'their print jobs rejected; the provider can no longer answer. Repeating it is safe.',
    security,
    params: ofRecall,
    body: settleRecallSchema,
    response: {
      200: askedRecallSchema,
      400: invalid,
      404: printErrorsSchema.describe('No such recall'),
      409: printErrorsSchema.describe('The recall has been answered in another way'),
      ...everywhere,
    },
  },
} as const

export const postInStead = {
  method: 'POST',
  url: `${printRun}/postings`,
  bodyLimit: postingBytesMax,
  schema: {
    operationId: 'postInStead',
    tags: ['print runs'],
    summary: "Record in the provider's stead that letters were posted",
    description:
      'For a provider that is gone, or that told you by other means. The documents are DESPATCHED at once, and their ' +
      'consumers told; there is no way back. What the provider has not reported of them your word stands for, also with a ' +
      'reprint. Of a provider that was heard of in the last hour, or within the time that it may be away, only documents ' +
      'that were settled as too late to be recalled are taken. All of them are recorded, or none.',
    security,
    params: ofPrintRun,
    body: postInSteadSchema,
    response: {
      201: postedInSteadSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'Documents cannot be posted, named one by one, 100 at most; or the print run is not in production',
      ),
      ...everywhere,
    },
  },
} as const

export const closeAnyPrintRun = {
  method: 'POST',
  url: `${printRun}/close`,
  schema: {
    operationId: 'closeAnyPrintRun',
    tags: ['print runs'],
    summary: "Close a print run in the provider's stead",
    description:
      'For a provider that is gone. Every document must be accounted for. Repeating it is safe.',
    security,
    params: ofPrintRun,
    body: closeAnyPrintRunSchema,
    response: {
      200: shownRunSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'Documents are unaccounted for, named one by one, 100 at most; or its provider has not acknowledged it',
      ),
      ...everywhere,
    },
  },
} as const

export const listAllReprints = {
  method: 'GET',
  url: reprints,
  schema: {
    operationId: 'listAllReprints',
    tags: ['reprints'],
    summary: 'List reprints, those that wait for a decision or all',
    security,
    querystring: everyReprintQuerySchema,
    response: { 200: everyReprintSchema, 400: invalid, ...everywhere },
  },
} as const

export const authoriseReprint = {
  method: 'POST',
  url: `${reprint}/authorise`,
  schema: {
    operationId: 'authoriseReprint',
    tags: ['reprints'],
    summary: 'Let a document be printed once more',
    description: 'By somebody else than who asked for it. Repeating it is safe.',
    security,
    params: ofReprint,
    response: reprintAnswers,
  },
} as const

export const refuseReprint = {
  method: 'POST',
  url: `${reprint}/refuse`,
  schema: {
    operationId: 'refuseReprint',
    tags: ['reprints'],
    summary: 'Refuse that a document is printed once more; its print job is rejected',
    description: 'By somebody else than who asked for it. Repeating it is safe.',
    security,
    params: ofReprint,
    body: z.object({ reason }),
    response: reprintAnswers,
  },
} as const
