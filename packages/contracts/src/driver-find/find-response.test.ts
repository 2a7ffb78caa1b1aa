import { expect, test } from 'vitest'
import { renderFindResponse } from './find-response.ts'

const found = {
  drivingLicenceNumber: 'MORGA657054SM9IJ',
  lastName: 'MORGAN',
  gender: 'Female',
  photograph: null,
  redirected: false,
} as const

test('an item has the members of the specification and no others', () => {
  expect(renderFindResponse([found])).toEqual({
    results: [{ drivingLicenceNumber: 'MORGA657054SM9IJ', lastName: 'MORGAN', gender: 'Female' }],
  })
})

test('an item has an image and a redirect if the driver has them', () => {
  const photograph = Buffer.from('a jpeg')
  expect(renderFindResponse([{ ...found, photograph, redirected: true }]).results).toEqual([
    {
      drivingLicenceNumber: 'MORGA657054SM9IJ',
      lastName: 'MORGAN',
      gender: 'Female',
      image: { image: 'YSBqcGVn', imageFormat: 'image/jpeg' },
      driverRedirect: true,
    },
  ])
})
