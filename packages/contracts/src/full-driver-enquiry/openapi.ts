import * as problems from '../driver-records/problems.ts'
import * as sources from '../driver-sources/answers.ts'
import { exampleValues } from '../example-values.ts'
import { shapesOf } from '../shapes.ts'
import * as request from './retrieve-request.ts'
import * as response from './retrieve-response.ts'

const { cpc, holder } = response.retrieveResponseSchema.shape
const { address } = response.driverSchema.shape

export const fullDriverEnquiryOpenApi = {
  examples: {
    values: exampleValues,
    problems: {
      404: { retrieveDrivingLicence: 'driver-not-found' },
      502: { retrieveDrivingLicence: 'source-failed' },
      504: { retrieveDrivingLicence: 'source-timed-out' },
    },
  },
  tags: { 'driving licences': 'Licences with entitlements, endorsements, CPC and tachograph data' },
  shapes: {
    ...shapesOf(problems, sources, request, response),
    DriverError: problems.driverErrorsSchema.shape.errors.element,
    DriverAddress: address.unwrap(),
    UnstructuredAddress: address.unwrap().shape.unstructuredAddress,
    LicenceType: response.licenceSchema.shape.type,
    Restriction: response.entitlementSchema.shape.restrictions.unwrap().element,
    DriverCpc: cpc.unwrap(),
    TachographHolder: holder.unwrap(),
  },
} as const
