import { driverEnquiryErrors } from '../driver-records/enquiry-operation.ts'
import { driverErrorsSchema } from '../driver-records/problems.ts'
import { retrieveRequestSchema } from './retrieve-request.ts'
import { retrieveResponseSchema } from './retrieve-response.ts'

export const fullDriverEnquiryPrefix = '/full-driver-enquiry'
/** Response headers in addition to those of every operation. */
export const serviceRequestIdHeader = 'x-service-request-id'
export const apiSpecVersionHeader = 'api-spec-version'
/** Headers of every response, as the specification spells them. */
export const fullDriverResponseHeaders = {
  'X-Service-Request-Id': {
    description: 'Identifies the request. Quote it in support requests',
    schema: { type: 'string', format: 'uuid' },
  },
} as const

export const retrieveDrivingLicence = {
  method: 'POST',
  url: `${fullDriverEnquiryPrefix}/v1/driving-licences/retrieve`,
  config: {
    sends: { 200: { 'api-spec-version': 'Semantic version of the interface specification' } },
  },
  schema: {
    operationId: 'retrieveDrivingLicence',
    tags: ['driving licences'],
    summary: 'Get the record of a driver by driving licence number',
    description:
      'CPC and tachograph data come from separate sources. If requested data is unavailable, acceptPartialResponse ' +
      'decides the response. It is either 200 without the data and with an errors member, or 502, 503 or 504 depending ' +
      'on the cause. If both are unavailable and a partial response is not accepted, 504 takes precedence over 503, ' +
      'and 503 over 502. Every response has the X-Service-Request-Id header, a UUID to quote in support requests. A ' +
      '200 also has the api-spec-version header.',
    security: [{ jwt: [], apiKey: [] }],
    body: retrieveRequestSchema,
    response: {
      200: retrieveResponseSchema,
      ...driverEnquiryErrors,
      404: driverErrorsSchema.describe('No record exists for the licence number (code ENQ018)'),
      502: driverErrorsSchema.describe('A source responded with a failure or with unreadable data'),
      503: driverErrorsSchema.describe('A source or the service is not available at present'),
      504: driverErrorsSchema.describe('A source did not respond in time'),
    },
  },
} as const
