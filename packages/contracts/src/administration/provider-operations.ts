import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import { slug } from './consumer.ts'
import { administrationPath } from './paths.ts'
import {
  createProviderSchema,
  printLocation,
  printSiteSchema,
  providerSchema,
  providersSchema,
  putPrintSiteSchema,
  putProviderSchema,
} from './provider.ts'
import {
  issuedSerialNumbersSchema,
  issueSerialNumbersSchema,
  serialAccountsQuerySchema,
  serialAccountsSchema,
} from './serial-stock.ts'

/** Limit for requests that list each serial number. */
const serialNumbersBytesMax = 8 * 1024 * 1024

const providers = `${administrationPath}/providers`
const provider = `${providers}/:providerId`
const serialStock = `${administrationPath}/serial-stock`
const ofProvider = z.object({ providerId: slug })
const unknownProvider = printErrorsSchema.describe('No such print provider')

export const listProviders = {
  method: 'GET',
  url: providers,
  schema: {
    operationId: 'listProviders',
    tags: ['print providers'],
    summary: 'List print providers with their sites',
    security,
    response: { 200: providersSchema, ...everywhere },
  },
} as const

export const createProvider = {
  method: 'POST',
  url: providers,
  schema: {
    operationId: 'createProvider',
    tags: ['print providers'],
    summary: 'Make a print provider with its sites',
    description:
      'Wants the role of admin. It calls as a consumer with the role of provider, which is made by itself. Its sites get ' +
      'no work before they are enabled.',
    security,
    body: createProviderSchema,
    response: {
      201: providerSchema,
      400: invalid,
      409: printErrorsSchema.describe('The id is taken; nothing has changed'),
      ...everywhere,
    },
  },
} as const

export const putProvider = {
  method: 'PUT',
  url: provider,
  schema: {
    operationId: 'putProvider',
    tags: ['print providers'],
    summary: 'Change what a print provider is called and how work goes to it',
    security,
    params: ofProvider,
    body: putProviderSchema,
    response: { 200: providerSchema, 400: invalid, 404: unknownProvider, ...everywhere },
  },
} as const

export const putPrintSite = {
  method: 'PUT',
  url: `${provider}/sites/:printLocation`,
  schema: {
    operationId: 'putPrintSite',
    tags: ['print providers'],
    summary: 'Say how much work a site gets, and make the site if it is not there',
    description: 'It goes for documents that are gathered from then on. Repeating it is safe.',
    security,
    params: ofProvider.extend({ printLocation }),
    body: putPrintSiteSchema,
    response: {
      200: printSiteSchema,
      201: printSiteSchema.describe('Made; taken to be able to print everything'),
      400: invalid,
      404: unknownProvider,
      ...everywhere,
    },
  },
} as const

export const listSerialStock = {
  method: 'GET',
  url: serialStock,
  schema: {
    operationId: 'listSerialStock',
    tags: ['serial stock'],
    summary: 'Read the accounts of numbered stock, by provider and job type',
    security,
    querystring: serialAccountsQuerySchema,
    response: { 200: serialAccountsSchema, 400: invalid, ...everywhere },
  },
} as const

export const issueSerialNumbers = {
  method: 'POST',
  url: serialStock,
  bodyLimit: serialNumbersBytesMax,
  schema: {
    operationId: 'issueSerialNumbers',
    tags: ['serial stock'],
    summary: 'Note that numbered stock has been handed to a provider',
    description:
      'All numbers are taken or none is. Repeating it is safe: what the provider has already stays as it is.',
    security,
    body: issueSerialNumbersSchema,
    response: {
      200: issuedSerialNumbersSchema,
      400: invalid,
      404: unknownProvider,
      409: printErrorsSchema.describe('Another provider has some of the numbers'),
      413: printErrorsSchema.describe('More than 8 MiB'),
      ...everywhere,
    },
  },
} as const
