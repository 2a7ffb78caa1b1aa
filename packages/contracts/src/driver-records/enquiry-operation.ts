import { driverErrorsSchema } from './problems.ts'

export const driverEnquiryBytesMax = 16 * 1024

export const driverEnquirySecuritySchemes = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'JWT from the authentication service. The prefix Bearer is optional',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const

/** Error responses that the operations of both driver enquiries have. */
export const driverEnquiryErrors = {
  400: driverErrorsSchema.describe('Bad request, with one error for each invalid field'),
  401: driverErrorsSchema.describe('The API key or JWT is missing, expired or invalid'),
  403: driverErrorsSchema.describe('The credentials do not give access to this service'),
  413: driverErrorsSchema.describe('Payload too large'),
  415: driverErrorsSchema.describe('Unsupported media type'),
  429: driverErrorsSchema.describe('Too many requests for the usage plan or the service'),
  500: driverErrorsSchema.describe('Internal error. The detail contains an error id'),
}
