import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import { auditEventsQuerySchema, auditEventsSchema } from './audit-event.ts'
import {
  consumerSchema,
  consumersQuerySchema,
  consumersSchema,
  createConsumerSchema,
  createdConsumerSchema,
  resetPasswordSchema,
  rotatedApiKeySchema,
  setRolesSchema,
  setServicesSchema,
  setUsagePlanSchema,
  shownConsumerSchema,
  slug,
} from './consumer.ts'
import { consumerUsageSchema } from './consumer-usage.ts'
import { contractPair, contractSchema, contractsSchema, putContractSchema } from './contract.ts'
import { enquiriesSchema, searchEnquiriesSchema } from './enquiry.ts'
import { administrationPath } from './paths.ts'
import { putUsagePlanSchema, usagePlanSchema, usagePlansSchema } from './usage-plan.ts'

export const administrationBytesMax = 64 * 1024

const unknownConsumer = printErrorsSchema.describe('No such consumer')
const ownAccess = printErrorsSchema.describe('Operators do not take away their own access')

const consumers = `${administrationPath}/consumers`
const consumer = `${consumers}/:consumerId`
const contract = `${consumer}/contracts/:jobType/:templateReference`
const ofConsumer = z.object({ consumerId: z.uuid() })
const ofContract = ofConsumer.extend(contractPair)

/** Errors that every operation on one consumer can return, besides its own responses. */
const consumerAnswers = { 400: invalid, 404: unknownConsumer, ...everywhere }

export const createConsumer = {
  method: 'POST',
  url: consumers,
  schema: {
    operationId: 'createConsumer',
    tags: ['consumers'],
    summary: 'Make a consumer with a password and an API key',
    description: 'Wants the role of admin. The password and the API key are shown this once.',
    security,
    body: createConsumerSchema,
    response: {
      201: createdConsumerSchema,
      400: invalid,
      409: printErrorsSchema.describe('The user name is taken; nothing has changed'),
      ...everywhere,
    },
  },
} as const

export const listConsumers = {
  method: 'GET',
  url: consumers,
  schema: {
    operationId: 'listConsumers',
    tags: ['consumers'],
    summary: 'List consumers by user name',
    security,
    querystring: consumersQuerySchema,
    response: { 200: consumersSchema, 400: invalid, ...everywhere },
  },
} as const

export const getConsumer = {
  method: 'GET',
  url: consumer,
  schema: {
    operationId: 'getConsumer',
    tags: ['consumers'],
    summary: 'Read a consumer with its contracts',
    security,
    params: ofConsumer,
    response: { 200: shownConsumerSchema, ...consumerAnswers },
  },
} as const

export const getConsumerUsage = {
  method: 'GET',
  url: `${consumer}/usage`,
  schema: {
    operationId: 'getConsumerUsage',
    tags: ['consumers'],
    summary:
      'Read what a consumer may ask in each second and day, and about how much of the day is used',
    description:
      'Services count by themselves and tell the shared store in blocks of 5 % of a limit, so the counts lag behind by so much.',
    security,
    params: ofConsumer,
    response: { 200: consumerUsageSchema, ...consumerAnswers },
  },
} as const

export const disableConsumer = {
  method: 'POST',
  url: `${consumer}/disable`,
  schema: {
    operationId: 'disableConsumer',
    tags: ['consumers'],
    summary: 'Refuse everything that the consumer asks from now on',
    description:
      'Wants the role of operator; to disable an operator, that of admin. Its print jobs go on. Repeating it is safe.',
    security,
    params: ofConsumer,
    response: { 200: consumerSchema, 409: ownAccess, ...consumerAnswers },
  },
} as const

export const enableConsumer = {
  method: 'POST',
  url: `${consumer}/enable`,
  schema: {
    operationId: 'enableConsumer',
    tags: ['consumers'],
    summary: 'Let a disabled consumer in again, with the credentials that it had',
    description: 'Wants the role of admin. Repeating it is safe.',
    security,
    params: ofConsumer,
    response: { 200: consumerSchema, ...consumerAnswers },
  },
} as const

export const rotateApiKey = {
  method: 'POST',
  url: `${consumer}/rotate-key`,
  schema: {
    operationId: 'rotateApiKey',
    tags: ['credentials'],
    summary: 'Give the consumer another API key; the one before stops working',
    description: 'Wants the role of admin. The API key is shown this once.',
    security,
    params: ofConsumer,
    response: {
      200: rotatedApiKeySchema,
      409: printErrorsSchema.describe('The key is being changed at this moment: ask again'),
      ...consumerAnswers,
    },
  },
} as const

export const resetPassword = {
  method: 'POST',
  url: `${consumer}/reset-password`,
  schema: {
    operationId: 'resetPassword',
    tags: ['credentials'],
    summary: 'Give the consumer another password; the one before stops working',
    description: 'Wants the role of admin. The password is shown this once.',
    security,
    params: ofConsumer,
    response: { 200: resetPasswordSchema, ...consumerAnswers },
  },
} as const

export const setRoles = {
  method: 'PUT',
  url: `${consumer}/roles`,
  schema: {
    operationId: 'setRoles',
    tags: ['consumers'],
    summary: 'Say what the consumer may do',
    description: 'Wants the role of admin.',
    security,
    params: ofConsumer,
    body: setRolesSchema,
    response: { 200: consumerSchema, 409: ownAccess, ...consumerAnswers },
  },
} as const

export const setServices = {
  method: 'PUT',
  url: `${consumer}/services`,
  schema: {
    operationId: 'setServices',
    tags: ['consumers'],
    summary: 'Say which services the consumer may use',
    description: 'Wants the role of admin.',
    security,
    params: ofConsumer,
    body: setServicesSchema,
    response: { 200: consumerSchema, ...consumerAnswers },
  },
} as const

export const setUsagePlan = {
  method: 'PUT',
  url: `${consumer}/usage-plan`,
  schema: {
    operationId: 'setUsagePlan',
    tags: ['consumers'],
    summary: 'Say how much the consumer may ask',
    description: 'Wants the role of admin.',
    security,
    params: ofConsumer,
    body: setUsagePlanSchema,
    response: { 200: consumerSchema, ...consumerAnswers },
  },
} as const

export const listContracts = {
  method: 'GET',
  url: `${consumer}/contracts`,
  schema: {
    operationId: 'listContracts',
    tags: ['contracts'],
    summary: 'List what is agreed with the consumer, also what has been retired',
    security,
    params: ofConsumer,
    response: { 200: contractsSchema, ...consumerAnswers },
  },
} as const

export const putContract = {
  method: 'PUT',
  url: contract,
  schema: {
    operationId: 'putContract',
    tags: ['contracts'],
    summary: 'Agree on a pair of jobType and templateReference, or change what is agreed',
    description:
      'Wants the role of admin. Members that are left out have their defaults; a retired contract is in use again. ' +
      'To change production or suppliedFileKey, retire the contract first and wait for its print jobs to be PENDING.',
    security,
    params: ofContract,
    body: putContractSchema,
    response: {
      200: contractSchema,
      201: contractSchema,
      409: printErrorsSchema.describe(
        'Print jobs may still be made ready by the terms that would change; nothing has changed',
      ),
      ...consumerAnswers,
    },
  },
} as const

export const retireContract = {
  method: 'DELETE',
  url: contract,
  schema: {
    operationId: 'retireContract',
    tags: ['contracts'],
    summary: 'Take no more print jobs of the pair; those that are there go on',
    description: 'Wants the role of admin. Repeating it is safe.',
    security,
    params: ofContract,
    response: {
      200: contractSchema,
      400: invalid,
      404: printErrorsSchema.describe('No such consumer, or no such contract of it'),
      ...everywhere,
    },
  },
} as const

export const listUsagePlans = {
  method: 'GET',
  url: `${administrationPath}/usage-plans`,
  schema: {
    operationId: 'listUsagePlans',
    tags: ['usage plans'],
    summary: 'List usage plans',
    security,
    response: { 200: usagePlansSchema, ...everywhere },
  },
} as const

export const putUsagePlan = {
  method: 'PUT',
  url: `${administrationPath}/usage-plans/:name`,
  schema: {
    operationId: 'putUsagePlan',
    tags: ['usage plans'],
    summary: 'Make a usage plan, or change it for everybody who is on it',
    description: 'Wants the role of admin. A service that the plan does not name is not limited.',
    security,
    params: z.object({ name: slug }),
    body: putUsagePlanSchema,
    response: { 200: usagePlanSchema, 400: invalid, ...everywhere },
  },
} as const

export const listAuditEvents = {
  method: 'GET',
  url: `${administrationPath}/audit-events`,
  schema: {
    operationId: 'listAuditEvents',
    tags: ['audit'],
    summary: 'List who changed what, the newest first',
    security,
    querystring: auditEventsQuerySchema,
    response: { 200: auditEventsSchema, 400: invalid, ...everywhere },
  },
} as const

export const listEnquiries = {
  method: 'POST',
  url: `${administrationPath}/enquiries/search`,
  schema: {
    operationId: 'listEnquiries',
    tags: ['audit'],
    summary: 'List who asked for which vehicle or driver, the newest first',
    description:
      'A POST, so that no number is in an address. Numbers are kept as hashes: a row tells whom a number belongs to only to ' +
      'somebody who asks for that number. The search itself is recorded among the changes.',
    security,
    body: searchEnquiriesSchema,
    response: {
      200: enquiriesSchema,
      400: invalid,
      404: printErrorsSchema.describe('No such consumer'),
      ...everywhere,
    },
  },
} as const

export const rotateSigningKey = {
  method: 'POST',
  url: `${administrationPath}/signing-keys/rotate`,
  schema: {
    operationId: 'rotateSigningKey',
    tags: ['credentials'],
    summary: 'Sign JWTs with a fresh key from now on',
    description: 'Wants the role of admin. JWTs that are in use stay valid until they expire.',
    security,
    response: { 200: z.object({ kid: z.string().describe('Id of the fresh key') }), ...everywhere },
  },
} as const
