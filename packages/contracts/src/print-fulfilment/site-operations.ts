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
  404: printErrorsSchema.describe('The provider does not have this recall request'),
  409: printErrorsSchema.describe('The recall request already has a different answer'),
  ...everywhere,
}

export const whoami = {
  method: 'GET',
  url: `${prefix}/whoami`,
  schema: {
    operationId: 'whoami',
    tags: ['provider'],
    summary: 'Get the identity of the provider',
    description:
      'Returns the provider that the credentials belong to, and how far its clock differs from ours.',
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
    summary: 'Send a heartbeat',
    description:
      'Shows that the provider is active. Listing print runs counts as a heartbeat too. If a provider is away for too ' +
      'long, its unclaimed work is reassigned.',
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
    summary: 'Get the work summary by production stream',
    description: 'Returns the work that is coming and the work that the provider already has.',
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
    summary: 'List the capabilities of the sites',
    description: 'Returns what each site of the provider can print, and when.',
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
    summary: 'Set the capabilities of a site',
    description:
      'Sets what the site can print and when. Applies to documents gathered after the call and to future cut-offs.',
    security,
    params: siteParams,
    body: capabilitiesSchema,
    response: {
      200: siteSchema,
      400: invalid,
      404: printErrorsSchema.describe('The provider does not have this site'),
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
    summary: 'Get the numbered stock by job type',
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
    summary: 'Report spoiled numbered stock',
    description:
      'Reports stock that was spoiled before anything was printed on it. Repeating the request is safe.',
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
    summary: 'Report returned letters',
    description:
      'Each return has its own result. The print job stays DESPATCHED. Its consumer is notified if the contract says ' +
      'so.',
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
    summary: 'List recall requests',
    description: 'Lists the documents that operators want back.',
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
    summary: 'Accept a recall request',
    description:
      'Reports that the documents were stopped, except those that had already left. The print jobs of stopped ' +
      'documents are rejected. Repeating the request is safe.',
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
    summary: 'Reject a recall request',
    description:
      'Reports that it is too late to stop any of the documents. Repeating the request is safe.',
    security,
    params: ofRecall,
    body: rejectRecallSchema,
    response: { 200: recallSchema, ...recallAnswers },
  },
} as const
