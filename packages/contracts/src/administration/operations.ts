import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { consumerAnswers, everywhere, invalid, security } from './answers.ts'
import { auditEventsQuerySchema, auditEventsSchema } from './audit-event.ts'
import { sentTestCallbackSchema, testCallbackSchema } from './callback.ts'
import {
  consumerDetailsSchema,
  consumerSchema,
  consumersQuerySchema,
  consumersSchema,
  createConsumerSchema,
  createdConsumerSchema,
  ofConsumer,
  setNetworksSchema,
  setRolesSchema,
  setServicesSchema,
  setUsagePlanSchema,
  slug,
} from './consumer.ts'
import { consumerUsageSchema } from './consumer-usage.ts'
import { contractPair, contractSchema, contractsSchema, putContractSchema } from './contract.ts'
import {
  contractChangesQuerySchema,
  contractChangesSchema,
  contractPreviewSchema,
} from './contract-change.ts'
import { enquiriesSchema, searchEnquiriesSchema } from './enquiry.ts'
import { administrationPath, consumerPath, consumersPath } from './paths.ts'
import { putUsagePlanSchema, usagePlanSchema, usagePlansSchema } from './usage-plan.ts'

export const administrationBytesMax = 64 * 1024
/** Allows a list of 100,000 documents or serial numbers. */
export const administrationValuesMax = 200_000

const ownAccess = printErrorsSchema.describe('Operators cannot remove their own access')

const contract = `${consumerPath}/contracts/:jobType/:templateReference`
const ofContract = ofConsumer.extend(contractPair)

export const createConsumer = {
  method: 'POST',
  url: consumersPath,
  schema: {
    operationId: 'createConsumer',
    tags: ['consumers'],
    summary: 'Create a consumer',
    description: 'The response contains the password and the API key. They are returned only once.',
    security,
    body: createConsumerSchema,
    response: {
      201: createdConsumerSchema,
      400: invalid,
      409: printErrorsSchema.describe('The user name is taken. Nothing changes'),
      ...everywhere,
    },
  },
} as const

export const listConsumers = {
  method: 'GET',
  url: consumersPath,
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
  url: consumerPath,
  schema: {
    operationId: 'getConsumer',
    tags: ['consumers'],
    summary: 'Get a consumer with its contracts',
    security,
    params: ofConsumer,
    response: { 200: consumerDetailsSchema, ...consumerAnswers },
  },
} as const

export const getConsumerUsage = {
  method: 'GET',
  url: `${consumerPath}/usage`,
  schema: {
    operationId: 'getConsumerUsage',
    tags: ['consumers'],
    summary: 'Get the limits and usage of a consumer',
    description:
      'Returns the limits per second and per day, and the approximate usage of the day. Each service counts separately ' +
      'and reports to the shared store in blocks of 5 % of a limit. The counts lag behind by up to that amount.',
    security,
    params: ofConsumer,
    response: { 200: consumerUsageSchema, ...consumerAnswers },
  },
} as const

export const sendTestCallback = {
  method: 'POST',
  url: `${consumerPath}/test-callback`,
  schema: {
    operationId: 'sendTestCallback',
    tags: ['callbacks'],
    summary: 'Send a test callback to a consumer',
    description:
      'The test message goes, signed and once, to the address and with the credentials of a recent callback of the ' +
      'consumer. It names no print job. Get the callback to see the answer.',
    security,
    params: ofConsumer,
    body: testCallbackSchema,
    response: { 202: sentTestCallbackSchema, ...consumerAnswers },
  },
} as const

export const disableConsumer = {
  method: 'POST',
  url: `${consumerPath}/disable`,
  schema: {
    operationId: 'disableConsumer',
    tags: ['consumers'],
    summary: 'Disable a consumer',
    description:
      'Refuses all further requests of the consumer. Its print jobs continue. Only an admin may disable an operator or ' +
      'an admin. Repeating the request is safe.',
    security,
    params: ofConsumer,
    response: { 200: consumerSchema, 409: ownAccess, ...consumerAnswers },
  },
} as const

export const enableConsumer = {
  method: 'POST',
  url: `${consumerPath}/enable`,
  schema: {
    operationId: 'enableConsumer',
    tags: ['consumers'],
    summary: 'Enable a consumer',
    description:
      'The consumer keeps its previous password and API key, and needs a new JWT. Repeating the request is safe.',
    security,
    params: ofConsumer,
    response: { 200: consumerSchema, ...consumerAnswers },
  },
} as const

export const setRoles = {
  method: 'PUT',
  url: `${consumerPath}/roles`,
  schema: {
    operationId: 'setRoles',
    tags: ['consumers'],
    summary: 'Set the roles of a consumer',
    security,
    params: ofConsumer,
    body: setRolesSchema,
    response: { 200: consumerSchema, 409: ownAccess, ...consumerAnswers },
  },
} as const

export const setServices = {
  method: 'PUT',
  url: `${consumerPath}/services`,
  schema: {
    operationId: 'setServices',
    tags: ['consumers'],
    summary: 'Set the services that a consumer may use',
    security,
    params: ofConsumer,
    body: setServicesSchema,
    response: { 200: consumerSchema, ...consumerAnswers },
  },
} as const

export const setUsagePlan = {
  method: 'PUT',
  url: `${consumerPath}/usage-plan`,
  schema: {
    operationId: 'setUsagePlan',
    tags: ['consumers'],
    summary: 'Set the usage plan of a consumer',
    description: "It applies from the consumer's next request after the response.",
    security,
    params: ofConsumer,
    body: setUsagePlanSchema,
    response: { 200: consumerSchema, ...consumerAnswers },
  },
} as const

export const setNetworks = {
  method: 'PUT',
  url: `${consumerPath}/networks`,
  schema: {
    operationId: 'setNetworks',
    tags: ['consumers'],
    summary: 'Set the networks that a consumer may call from',
    description:
      'Requests and sign-ins from elsewhere get 403 once the credentials were found right. An empty list lifts the ' +
      "limit. It applies from the consumer's next request after the response. An operator or provider is not limited, " +
      'except in what it does as a consumer.',
    security,
    params: ofConsumer,
    body: setNetworksSchema,
    response: { 200: consumerSchema, ...consumerAnswers },
  },
} as const

export const listContracts = {
  method: 'GET',
  url: `${consumerPath}/contracts`,
  schema: {
    operationId: 'listContracts',
    tags: ['contracts'],
    summary: 'List the contracts of a consumer, including retired ones',
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
    summary: 'Create or change a contract',
    description:
      'Sets the contract for a pair of jobType and templateReference. Members that are left out get their defaults. ' +
      'A retired contract becomes active again. To change production or suppliedFileKey, retire the contract first ' +
      'and wait until its print jobs are PENDING.',
    security,
    params: ofContract,
    body: putContractSchema,
    response: {
      200: contractSchema,
      201: contractSchema,
      409: printErrorsSchema.describe(
        'Print jobs may still be in preparation under the terms that would change. Nothing changes',
      ),
      ...consumerAnswers,
    },
  },
} as const

export const previewContract = {
  method: 'POST',
  url: `${contract}/preview`,
  schema: {
    operationId: 'previewContract',
    tags: ['contracts'],
    summary: 'Preview a change of a contract',
    description: 'Returns what saving the same body would change, and changes nothing.',
    security,
    params: ofContract,
    body: putContractSchema,
    response: { 200: contractPreviewSchema, ...consumerAnswers },
  },
} as const

export const listContractChanges = {
  method: 'GET',
  url: `${consumerPath}/contract-changes`,
  schema: {
    operationId: 'listContractChanges',
    tags: ['contracts'],
    summary: 'List the changes of the contracts of a consumer, newest first',
    security,
    params: ofConsumer,
    querystring: contractChangesQuerySchema,
    response: { 200: contractChangesSchema, ...consumerAnswers },
  },
} as const

export const retireContract = {
  method: 'DELETE',
  url: contract,
  schema: {
    operationId: 'retireContract',
    tags: ['contracts'],
    summary: 'Retire a contract',
    description:
      'New print jobs for the contract are refused. Existing print jobs continue. Repeating the request is safe.',
    security,
    params: ofContract,
    response: {
      200: contractSchema,
      400: invalid,
      404: printErrorsSchema.describe('The consumer does not exist or does not have this contract'),
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
    summary: 'Create or change a usage plan',
    description:
      'A change applies to all consumers on the plan, from their next request after the response. A service that the ' +
      'plan does not name is not limited.',
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
    summary: 'List audit events, newest first',
    description:
      'Returns the events that match all filters. A search by one filter and days fills each page. With more filters, ' +
      'a page looks through at most 20,000 events of one of them: it may have fewer events than limit, or none, and ' +
      'still have a nextCursor.',
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
    summary: 'List enquiries about vehicles and drivers, newest first',
    description:
      'The operation is a POST so that no URL contains a number. Numbers are stored as hashes: a row shows which ' +
      'number it is about only if you search for that number. The search itself is audited.',
    security,
    body: searchEnquiriesSchema,
    response: {
      200: enquiriesSchema,
      400: invalid,
      404: printErrorsSchema.describe('The consumer does not exist'),
      ...everywhere,
    },
  },
} as const
