/**
 * The stored record of a vehicle, with the member names of the interface. Unknown members are left out. Dates are
 * YYYY-MM-DD.
 */
export type VehicleRecord = {
  registrationNumber: string
  taxStatus?: TaxStatus
  taxDueDate?: string
  /** Last day of the additional rate of tax. */
  artEndDate?: string
  motStatus?: MotStatus
  motExpiryDate?: string
  make?: string
  /** YYYY-MM, registration by the agency. */
  monthOfFirstServiceRegistration?: string
  /** YYYY-MM. */
  monthOfFirstRegistration?: string
  yearOfManufacture?: number
  /** Cubic centimetres. */
  engineCapacity?: number
  /** Grams per kilometre. */
  co2Emissions?: number
  fuelType?: string
  markedForExport?: boolean
  colour?: string
  typeApproval?: string
  wheelplan?: string
  /** Kilograms. */
  revenueWeight?: number
  realDrivingEmissions?: string
  dateOfLastV5CIssued?: string
  euroStatus?: string
  automatedVehicle?: boolean
}

/** Spec: the values of taxStatus. */
export const taxStatuses = ['Not Taxed for on Road Use', 'SORN', 'Taxed', 'Untaxed'] as const
export type TaxStatus = (typeof taxStatuses)[number]

/** Spec: the values of motStatus. */
export const motStatuses = [
  'No details held by Service',
  'No results returned',
  'Not valid',
  'Valid',
] as const
export type MotStatus = (typeof motStatuses)[number]
