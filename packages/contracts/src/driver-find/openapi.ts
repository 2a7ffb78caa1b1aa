import * as problems from '../driver-records/problems.ts'
import { exampleValues } from '../example-values.ts'
import { shapesOf } from '../shapes.ts'
import * as request from './find-request.ts'
import * as response from './find-response.ts'

const foundDriver = response.findResponseSchema.shape.results.element

export const driverFindOpenApi = {
  examples: {
    values: exampleValues,
  },
  tags: { drivers: 'Drivers in the driver records' },
  shapes: {
    ...shapesOf(problems, request, response),
    DriverError: problems.driverErrorsSchema.shape.errors.element,
    NameMatchType: request.findOptionsSchema.shape.lastNameMatchType.unwrap(),
    FoundDriver: foundDriver,
    DriverImage: foundDriver.shape.image.unwrap(),
  },
} as const
