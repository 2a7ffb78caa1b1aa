import type { Gender } from '@despatch/domain/driver/values'
import { genders } from '@despatch/domain/driver/values'
import { z } from 'zod'

/** The total number of matching drivers, not only those of the page. */
export const totalCountHeader = 'x-total-count'

/** Spec: an item has exactly these members. The image has the shape that the sister image service uses. */
export const findResponseSchema = z.object({
  results: z.array(
    z.object({
      drivingLicenceNumber: z.string(),
      lastName: z.string().describe('Last name on the current licence'),
      gender: z.enum(genders),
      image: z
        .object({
          image: z.string().describe('Image in base64'),
          imageFormat: z.literal('image/jpeg'),
        })
        .exactOptional()
        .describe('Present if images are requested and one is held'),
      driverRedirect: z
        .literal(true)
        .exactOptional()
        .describe('Only data from a previous licence matches the criteria'),
    }),
  ),
})

export type FindResponse = z.output<typeof findResponseSchema>

export type FoundDriver = {
  drivingLicenceNumber: string
  lastName: string
  gender: Gender
  photograph: Buffer | null
  redirected: boolean
}

export function renderFindResponse(drivers: readonly FoundDriver[]): FindResponse {
  return { results: drivers.map(renderDriver) }
}

function renderDriver(driver: FoundDriver): FindResponse['results'][number] {
  const { drivingLicenceNumber, lastName, gender, photograph, redirected } = driver
  return {
    drivingLicenceNumber,
    lastName,
    gender,
    ...(photograph && {
      image: { image: photograph.toString('base64'), imageFormat: 'image/jpeg' },
    }),
    ...(redirected && { driverRedirect: true }),
  }
}
