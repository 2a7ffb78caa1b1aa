import { exampleValues } from '../example-values.ts'
import { shapesOf } from '../shapes.ts'
import { getVehicle } from './operations.ts'
import * as problems from './problems.ts'
import * as response from './vehicle-response.ts'

export const vehicleEnquiryOpenApi = {
  examples: {
    values: exampleValues,
    problems: { 404: { getVehicle: 'vehicle-not-found' } },
  },
  tags: { vehicles: 'Vehicles in the vehicle records' },
  shapes: {
    ...shapesOf(problems, response),
    VehicleError: problems.vehicleErrorsSchema.shape.errors.element,
    VehicleRequest: getVehicle.schema.body,
  },
} as const
