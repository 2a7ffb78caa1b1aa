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
    description: 'JWT from the authentication service. The prefix Bearer is optional',
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
      'The matching modes are exact, phonetic and token. exact matches the whole name and ignores case, accents, ' +
      'apostrophes, hyphens and spaces. phonetic also matches names that sound like it. token also matches names that ' +
      'contain it as a word. limit and offset are read from the request headers, then from the query string, then from ' +
      'the body or its options. The x-total-count header contains the total number of drivers.',
    security: [{ jwt: [], apiKey: [] }],
    headers: pageText('request header'),
    querystring: pageText('query string'),
    body: findRequestSchema,
    response: {
      200: findResponseSchema,
      400: driverErrorsSchema.describe('Bad request, with one error for each invalid field'),
      401: driverErrorsSchema.describe('The API key or JWT is missing, expired or invalid'),
      403: driverErrorsSchema.describe('The credentials do not give access to this service'),
      413: driverErrorsSchema.describe('Payload too large'),
      415: driverErrorsSchema.describe('Unsupported media type'),
      429: driverErrorsSchema.describe('Too many requests for the usage plan or the service'),
      500: driverErrorsSchema.describe('Internal error. The detail contains an error id'),
      503: driverErrorsSchema.describe('The service is not available at present'),
    },
  },
} as const
