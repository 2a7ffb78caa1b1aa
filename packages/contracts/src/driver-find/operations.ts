import { driverEnquiryErrors } from '../driver-records/enquiry-operation.ts'
import { driverErrorsSchema } from '../driver-records/problems.ts'
import { pageText } from './find-page.ts'
import { findRequestSchema } from './find-request.ts'
import { findResponseSchema, totalCountHeader } from './find-response.ts'

export const driverFindPrefix = '/driver-find'
export const findDrivers = {
  method: 'POST',
  url: `${driverFindPrefix}/v1/drivers/find`,
  config: { sends: { 200: { [totalCountHeader]: 'Total number of drivers' } } },
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
      ...driverEnquiryErrors,
      503: driverErrorsSchema.describe('The service is not available at present'),
    },
  },
} as const
