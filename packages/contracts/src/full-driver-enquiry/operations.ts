import { driverErrorsSchema } from '../driver-records/problems.ts'
import { retrieveRequestSchema } from './retrieve-request.ts'
import { retrieveResponseSchema } from './retrieve-response.ts'

export const fullDriverEnquiryPrefix = '/full-driver-enquiry'
export const fullDriverEnquiryBytesMax = 16 * 1024
/** Version of the interface specification, sent with each 200. */
export const fullDriverEnquiryVersion = '1.30.0'

export const fullDriverEnquirySecuritySchemes = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'From the authentication service; with or without the word Bearer before it',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const

/** Response headers in addition to those of every operation. */
export const serviceRequestIdHeader = 'x-service-request-id'
export const apiSpecVersionHeader = 'api-spec-version'

export const retrieveDrivingLicence = {
  method: 'POST',
  url: `${fullDriverEnquiryPrefix}/v1/driving-licences/retrieve`,
  schema: {
    operationId: 'retrieveDrivingLicence',
    tags: ['driving licences'],
    summary: 'The record of one driver, for a driving licence number',
    description:
      'CPC and tachograph data come from sources of their own. When one that was asked for cannot be had, ' +
      'acceptPartialResponse decides: a 200 without it and with errors beside it, or 502, 503 or 504 by cause. When both ' +
      'cannot be had and the answer is refused, 504 comes before 503, and 503 before 502. ' +
      'Every answer has the header X-Service-Request-Id (a UUID, to quote when asking about it); a 200 has ' +
      'api-spec-version.',
    security: [{ jwt: [], apiKey: [] }],
    body: retrieveRequestSchema,
    response: {
      200: retrieveResponseSchema,
      400: driverErrorsSchema.describe('Bad request: one error for each field that is wrong'),
      401: driverErrorsSchema.describe('API key or JWT not provided, expired or invalid'),
      403: driverErrorsSchema.describe('The credentials are not for this service'),
      404: driverErrorsSchema.describe('No record for the licence number: code ENQ018'),
      413: driverErrorsSchema.describe('Payload too large'),
      415: driverErrorsSchema.describe('Unsupported media type'),
      429: driverErrorsSchema.describe('More requests than the usage plan or the service allows'),
      500: driverErrorsSchema.describe('Internal error; the detail carries an error id'),
      502: driverErrorsSchema.describe(
        'A source answered with a failure or with what cannot be read',
      ),
      503: driverErrorsSchema.describe('A source or the service is not available at present'),
      504: driverErrorsSchema.describe('A source did not answer in time'),
    },
  },
} as const
