import { registrationNumberPattern } from '@despatch/domain/vehicle/registration-number'
import { z } from 'zod'
import { text } from '../text.ts'
import { vehicleErrorsSchema } from './problems.ts'
import { vehicleResponseSchema } from './vehicle-response.ts'

export const vehicleEnquiryPrefix = '/vehicle-enquiry'
export const vehicleEnquiryBytesMax = 16 * 1024

/** Spec: there is no other authentication. */
export const vehicleEnquirySecuritySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const

export const getVehicle = {
  method: 'POST',
  url: `${vehicleEnquiryPrefix}/v1/vehicles`,
  schema: {
    operationId: 'getVehicle',
    tags: ['vehicles'],
    summary: 'Get the details of a vehicle by registration number',
    description:
      'The body contains the number, in upper or lower case. Unknown members of the body are ignored.',
    security: [{ apiKey: [] }],
    body: z.object({
      registrationNumber: text({ min: 1, pattern: registrationNumberPattern }),
    }),
    response: {
      200: vehicleResponseSchema.describe('The details of the vehicle'),
      400: vehicleErrorsSchema.describe('The registration number is missing or malformed'),
      403: vehicleErrorsSchema.describe(
        'The API key is missing, expired or invalid, or does not give access to this service',
      ),
      404: vehicleErrorsSchema.describe('No vehicle has the registration number'),
      413: vehicleErrorsSchema.describe('The body is too large'),
      415: vehicleErrorsSchema.describe('The Content-Type of the body is not JSON'),
      429: vehicleErrorsSchema.describe('Too many requests for the usage plan or the service'),
      500: vehicleErrorsSchema.describe('Unexpected error. The detail contains an error id'),
      503: vehicleErrorsSchema.describe('The service cannot take the request at present'),
    },
  },
} as const
