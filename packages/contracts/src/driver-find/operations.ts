import { driverErrorsSchema } from '../driver-records/problems.ts'
import { pageText } from './find-page.ts'
import { findRequestSchema } from './find-request.ts'
import { findResponseSchema } from './find-response.ts'

export const driverFindPrefix = '/driver-find'
export const driverFindBytesMax = 16 * 1024
/** The latest release that the specification lists. */
export const driverFindVersion = '1.7.0'

export const driverFindSecuritySchemes = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'From the authentication service; with or without the word Bearer before it',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const

export const findDrivers = {
  method: 'POST',
  url: `${driverFindPrefix}/v1/drivers/find`,
  schema: {
    operationId: 'findDrivers',
    tags: ['drivers'],
    summary: 'Search drivers by names, date of birth, postcode and gender',
    description:
      'exact: the whole name, whatever its case, accents, apostrophes, hyphens and spaces. phonetic: also names that ' +
      'sound like it. token: also names of which it is a word. limit and offset are taken from the request headers, ' +
      'else from the query string, else from the body or its options. The header x-total-count tells how many ' +
      'drivers there are in all.',
    security: [{ jwt: [], apiKey: [] }],
    headers: pageText('request header'),
    querystring: pageText('query string'),
    body: findRequestSchema,
    response: {
      200: findResponseSchema,
      400: driverErrorsSchema.describe('Bad request: one error for each field that is wrong'),
      401: driverErrorsSchema.describe('API key or JWT not provided, expired or invalid'),
      403: driverErrorsSchema.describe('The credentials are not for this service'),
      413: driverErrorsSchema.describe('Payload too large'),
      415: driverErrorsSchema.describe('Unsupported media type'),
      429: driverErrorsSchema.describe('More requests than the usage plan or the service allows'),
      500: driverErrorsSchema.describe('Internal error; the detail carries an error id'),
      503: driverErrorsSchema.describe('The service is not available at present'),
    },
  },
} as const
