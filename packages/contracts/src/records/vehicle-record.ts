import { normaliseRegistrationNumber } from '@despatch/domain/vehicle/registration-number'
import {
  motStatuses,
  taxStatuses,
  type VehicleRecord,
} from '@despatch/domain/vehicle/vehicle-record'
import { z } from 'zod'
import { customIssue, integer } from '../text.ts'
import { day, month, words } from './record-values.ts'

const wordsMax = 64

const registrationNumber = z.string().transform((value, context) => {
  const normal = normaliseRegistrationNumber(value)
  if (normal !== undefined) return normal
  context.addIssue({ ...customIssue(wrongNumber, undefined), continue: false })
  return z.NEVER
})
const wrongNumber = {
  code: 'Pattern',
  message: 'must be 1 to 8 letters and digits without spaces',
}

/** One row of a vehicle import. Converts the registration number to upper case. */
export const vehicleRecordSchema = z.strictObject({
  registrationNumber,
  taxStatus: z.enum(taxStatuses).exactOptional(),
  taxDueDate: day().exactOptional(),
  artEndDate: day().exactOptional(),
  motStatus: z.enum(motStatuses).exactOptional(),
  motExpiryDate: day().exactOptional(),
  make: words(wordsMax).exactOptional(),
  monthOfFirstServiceRegistration: month().exactOptional(),
  monthOfFirstRegistration: month().exactOptional(),
  yearOfManufacture: integer({ min: 1800, max: 2199 }).exactOptional(),
  engineCapacity: integer({ min: 0, max: 100_000 }).exactOptional(),
  co2Emissions: integer({ min: 0, max: 10_000 }).exactOptional(),
  fuelType: words(wordsMax).exactOptional(),
  markedForExport: z.boolean().exactOptional(),
  colour: words(wordsMax).exactOptional(),
  typeApproval: words(wordsMax).exactOptional(),
  wheelplan: words(wordsMax).exactOptional(),
  revenueWeight: integer({ min: 0, max: 1_000_000 }).exactOptional(),
  realDrivingEmissions: words(wordsMax).exactOptional(),
  dateOfLastV5CIssued: day().exactOptional(),
  euroStatus: words(wordsMax).exactOptional(),
  automatedVehicle: z.boolean().exactOptional(),
}) satisfies z.ZodType<VehicleRecord>
