import {
  isDrivingLicenceNumber,
  normaliseDrivingLicenceNumber,
} from '@despatch/domain/driver/driving-licence-number'
import { z } from 'zod'

/** White space and case do not count; whoever parses it gets the number as records are kept under. */
export const drivingLicenceNumberSchema = z
  .string()
  .overwrite(normaliseDrivingLicenceNumber)
  .refine(isDrivingLicenceNumber)
  .meta({
    description:
      'Full licence number of 16 characters, including the check digits. White space and lower case are accepted.',
    examples: ['MORGA657054SM9IJ'],
  })
