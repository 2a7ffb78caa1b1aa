import { shapesOf } from '../shapes.ts'
import { getVehicle } from './operations.ts'
import * as problems from './problems.ts'
import * as response from './vehicle-response.ts'

export const vehicleEnquiryOpenApi = {
  tags: { vehicles: 'Vehicles in the vehicle records' },
  shapes: {
    ...shapesOf(problems, response),
    VehicleError: problems.vehicleErrorsSchema.shape.errors.element,
    VehicleRequest: getVehicle.schema.body,
  },
} as const
