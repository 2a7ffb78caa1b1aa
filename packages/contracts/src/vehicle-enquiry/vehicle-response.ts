import {
  motStatuses,
  taxStatuses,
  type VehicleRecord,
} from '@despatch/domain/vehicle/vehicle-record'
import { z } from 'zod'

const month = z.string().meta({ pattern: '^\\d{4}-\\d{2}$' })

/** Spec: the response to an enquiry. Unknown members of a vehicle are omitted. */
export const vehicleResponseSchema = z.object({
  registrationNumber: z.string(),
  taxStatus: z.enum(taxStatuses).optional(),
  taxDueDate: z.iso.date().optional(),
  artEndDate: z.iso.date().optional().describe('Additional rate of tax end date'),
  motStatus: z.enum(motStatuses).optional(),
  motExpiryDate: z.iso.date().optional(),
  make: z.string().optional(),
  monthOfFirstServiceRegistration: month
    .optional()
    .describe('Month of first registration with the agency'),
  monthOfFirstRegistration: month.optional(),
  yearOfManufacture: z.int32().optional(),
  engineCapacity: z.int32().optional().describe('Cubic centimetres'),
  co2Emissions: z.int32().optional().describe('Grams per kilometre'),
  fuelType: z.string().optional().describe('Method of propulsion'),
  markedForExport: z.boolean().optional().describe('true only if marked for export'),
  colour: z.string().optional(),
  typeApproval: z.string().optional().describe('Type approval category'),
  wheelplan: z.string().optional(),
  revenueWeight: z.int32().optional().describe('Kilograms'),
  realDrivingEmissions: z.string().optional(),
  dateOfLastV5CIssued: z.iso.date().optional(),
  euroStatus: z.string().optional(),
  automatedVehicle: z.boolean().optional(),
})

export type VehicleResponse = z.output<typeof vehicleResponseSchema>

const members = Object.keys(vehicleResponseSchema.shape) as (keyof VehicleRecord)[]

/** Returns the known members of the interface, in its order. Null counts as unknown. */
export function renderVehicle(record: VehicleRecord): VehicleResponse {
  const response: Record<string, unknown> = {}
  for (const member of members) {
    const value = record[member]
    if (value !== undefined && value !== null) response[member] = value
  }
  return response as VehicleResponse
}
