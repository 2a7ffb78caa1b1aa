import { z } from 'zod'
import { drivingLicenceNumberSchema } from '../driver-records/driving-licence-number.ts'
import { driverErrorsSchema } from '../driver-records/problems.ts'
import { cpcAnswerSchema, tachographAnswerSchema } from './answers.ts'

export const driverSourcesPrefix = '/driver-sources'
export const driverSourcesBytesMax = 4 * 1024

/** Each process serves one of these. */
export const driverSourceNames = ['cpc', 'tachograph'] as const
export type DriverSourceName = (typeof driverSourceNames)[number]

export const driverSourcesSecuritySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'opaque',
    description: 'Token that the sources share with the services that call them',
  },
} as const

/** The number is only in the body, because every hop may log addresses. */
const body = z.object({ drivingLicenceNumber: drivingLicenceNumberSchema })

const refusals = {
  400: driverErrorsSchema.describe('Bad request'),
  401: driverErrorsSchema.describe('The token is wrong or missing'),
  413: driverErrorsSchema.describe('Payload too large'),
  415: driverErrorsSchema.describe('Unsupported media type'),
  500: driverErrorsSchema.describe('Internal error. The detail contains an error id'),
  503: driverErrorsSchema.describe('The source cannot take the request at present'),
}

export const retrieveCpc = {
  method: 'POST',
  url: `${driverSourcesPrefix}/v1/cpc/retrieve`,
  schema: {
    operationId: 'retrieveCpc',
    tags: ['sources'],
    summary: 'Get the CPC data of a driver',
    security: [{ token: [] }],
    body,
    response: { 200: cpcAnswerSchema, ...refusals },
  },
} as const

export const retrieveTachograph = {
  method: 'POST',
  url: `${driverSourcesPrefix}/v1/tachograph/retrieve`,
  schema: {
    operationId: 'retrieveTachograph',
    tags: ['sources'],
    summary: 'Get the tachograph card data of a driver',
    security: [{ token: [] }],
    body,
    response: { 200: tachographAnswerSchema, ...refusals },
  },
} as const
