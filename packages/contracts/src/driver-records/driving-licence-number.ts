import {
  isDrivingLicenceNumber,
  normaliseDrivingLicenceNumber,
} from '@despatch/domain/driver/driving-licence-number'
import { z } from 'zod'

/** Ignores white space and case. Returns the number in the form that records are stored under. */
export const drivingLicenceNumberSchema = z
  .string()
  .overwrite(normaliseDrivingLicenceNumber)
  .refine(isDrivingLicenceNumber)
  .meta({
    description:
      'Full licence number of 16 characters, including the check digits. White space and lower case are accepted.',
    examples: ['MORGA657054SM9IJ'],
  })
