import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import { printFulfilmentPrefix } from './paths.ts'
import {
  acceptRecallSchema,
  recallSchema,
  recallsQuerySchema,
  recallsSchema,
  rejectRecallSchema,
} from './recall.ts'
import { returnsRequestSchema, returnsResponseSchema } from './returned-letter.ts'
import {
  capabilitiesSchema,
  heartbeatRequestSchema,
  heartbeatResponseSchema,
  serialStockSchema,
  siteParams,
  siteSchema,
  sitesSchema,
  stockSpoilageSchema,
  whoamiSchema,
  workSummarySchema,
} from './site.ts'

const prefix = `${printFulfilmentPrefix}/v1`
const recall = `${prefix}/recall-requests/:recallId`
const ofRecall = z.object({ recallId: z.string() })
const recallAnswers = {
  400: invalid,
  404: printErrorsSchema.describe('The provider has no such recall request'),
  409: printErrorsSchema.describe('It has been answered before, in another way'),
  ...everywhere,
}

export const whoami = {
  method: 'GET',
  url: `${prefix}/whoami`,
  schema: {
    operationId: 'whoami',
    tags: ['provider'],
    summary: 'Read for whom the credentials are, and how far the clocks are apart',
    security,
    response: { 200: whoamiSchema, ...everywhere },
  },
} as const

export const sendHeartbeat = {
  method: 'POST',
  url: `${prefix}/heartbeat`,
  schema: {
    operationId: 'sendHeartbeat',
    tags: ['provider'],
    summary: 'Say that the provider is there',
    description:
      'Asking for print runs says so too. Unclaimed work of a provider that stays away for too long goes elsewhere.',
    security,
    body: heartbeatRequestSchema,
    response: { 200: heartbeatResponseSchema, 400: invalid, ...everywhere },
  },
} as const

export const getWorkSummary = {
  method: 'GET',
  url: `${prefix}/work-summary`,
  schema: {
    operationId: 'getWorkSummary',
    tags: ['provider'],
    summary: 'Read what comes and what is there, by stream',
    security,
    response: { 200: workSummarySchema, ...everywhere },
  },
} as const

export const listCapabilities = {
  method: 'GET',
  url: `${prefix}/capabilities`,
  schema: {
    operationId: 'listCapabilities',
    tags: ['provider'],
    summary: 'Read what the sites of the provider can print, and when',
    security,
    response: { 200: sitesSchema, ...everywhere },
  },
} as const

export const putCapabilities = {
  method: 'PUT',
  url: `${prefix}/capabilities/:printLocation`,
  schema: {
    operationId: 'putCapabilities',
    tags: ['provider'],
    summary: 'Say what a site can print, and when',
    description: 'It goes for documents that are gathered from then on, and for cut-offs to come.',
    security,
    params: siteParams,
    body: capabilitiesSchema,
    response: {
      200: siteSchema,
      400: invalid,
      404: printErrorsSchema.describe('The provider has no such site'),
      ...everywhere,
    },
  },
} as const

export const getSerialStock = {
  method: 'GET',
  url: `${prefix}/serial-stock`,
  schema: {
    operationId: 'getSerialStock',
    tags: ['stock'],
    summary: 'Read the account of numbered stock',
    security,
    response: { 200: serialStockSchema, ...everywhere },
  },
} as const

export const reportStockSpoilage = {
  method: 'POST',
  url: `${prefix}/serial-stock/spoilage`,
  schema: {
    operationId: 'reportStockSpoilage',
    tags: ['stock'],
    summary: 'Report numbered stock that was spoiled before anything was printed on it',
    description: 'Repeating it is safe.',
    security,
    body: stockSpoilageSchema,
    response: {
      200: serialStockSchema,
      400: invalid,
      ...everywhere,
    },
  },
} as const

export const recordReturns = {
  method: 'POST',
  url: `${prefix}/returns`,
  schema: {
    operationId: 'recordReturns',
    tags: ['returns'],
    summary: 'Report letters that came back',
    description:
      'Each has its own result. The print job stays DESPATCHED; its consumer is told where the contract says so.',
    security,
    body: returnsRequestSchema,
    response: { 200: returnsResponseSchema, 400: invalid, ...everywhere },
  },
} as const

export const listRecallRequests = {
  method: 'GET',
  url: `${prefix}/recall-requests`,
  schema: {
    operationId: 'listRecallRequests',
    tags: ['recalls'],
    summary: 'List the documents that operators want back',
    security,
    querystring: recallsQuerySchema,
    response: { 200: recallsSchema, 400: invalid, ...everywhere },
  },
} as const

export const acceptRecall = {
  method: 'POST',
  url: `${recall}/accept`,
  schema: {
    operationId: 'acceptRecall',
    tags: ['recalls'],
    summary: 'Say that the documents were stopped, but for those that had left',
    description: 'The print jobs of stopped documents are rejected. Repeating it is safe.',
    security,
    params: ofRecall,
    body: acceptRecallSchema,
    response: { 200: recallSchema, ...recallAnswers },
  },
} as const

export const rejectRecall = {
  method: 'POST',
  url: `${recall}/reject`,
  schema: {
    operationId: 'rejectRecall',
    tags: ['recalls'],
    summary: 'Say that it is too late for all of them',
    description: 'Repeating it is safe.',
    security,
    params: ofRecall,
    body: rejectRecallSchema,
    response: { 200: recallSchema, ...recallAnswers },
  },
} as const
