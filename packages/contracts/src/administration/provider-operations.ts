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
import {
  changedSharesSchema,
  changeSharesSchema,
  previewSharesSchema,
  sharePreviewSchema,
} from './share-preview.ts'

/** Limit for requests that list each serial number. */
const serialNumbersBytesMax = 8 * 1024 * 1024

const providers = `${administrationPath}/providers`
const provider = `${providers}/:providerId`
const serialStock = `${administrationPath}/serial-stock`
const ofProvider = z.object({ providerId: slug })
const unknownProvider = printErrorsSchema.describe('The print provider does not exist')

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
    summary: 'Create a print provider with its sites',
    description:
      'The provider calls the API as a consumer with the provider role, which you create separately. Its sites get ' +
      'no work until they are enabled.',
    security,
    body: createProviderSchema,
    response: {
      201: providerSchema,
      400: invalid,
      409: printErrorsSchema.describe('The id is taken. Nothing changes'),
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
    summary: 'Change a print provider',
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
    summary: 'Create or change a site',
    description:
      'Sets how much work the site gets. Applies to documents gathered after the call. Repeating the request is safe.',
    security,
    params: ofProvider.extend({ printLocation }),
    body: putPrintSiteSchema,
    response: {
      200: printSiteSchema,
      201: printSiteSchema.describe(
        'The site was created. Until its provider reports capabilities, it counts as able to print everything',
      ),
      400: invalid,
      404: unknownProvider,
      ...everywhere,
    },
  },
} as const

export const previewShares = {
  method: 'POST',
  url: `${administrationPath}/print-sites/preview`,
  schema: {
    operationId: 'previewShares',
    tags: ['print providers'],
    summary: 'Preview other shares of sites',
    description:
      'Distributes the documents of the last days by the present and by the new shares, and changes nothing.',
    security,
    body: previewSharesSchema,
    response: {
      200: sharePreviewSchema,
      400: invalid,
      404: printErrorsSchema.describe('A site does not exist'),
      ...everywhere,
    },
  },
} as const

export const changeShares = {
  method: 'PUT',
  url: `${administrationPath}/print-sites/shares`,
  schema: {
    operationId: 'changeShares',
    tags: ['print providers'],
    summary: 'Change the shares of several sites',
    description:
      'Either all shares are changed or none. Applies to documents gathered after the call. Repeating the request is ' +
      'safe.',
    security,
    body: changeSharesSchema,
    response: {
      200: changedSharesSchema,
      400: invalid,
      404: printErrorsSchema.describe('A site does not exist'),
      409: printErrorsSchema.describe('A site has been enabled or disabled. Nothing changes'),
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
    summary: 'List numbered stock by provider and job type',
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
    summary: 'Record numbered stock handed to a provider',
    description:
      'Either all numbers are added or none. Repeating the request is safe: numbers that the provider already has do ' +
      'not change.',
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
