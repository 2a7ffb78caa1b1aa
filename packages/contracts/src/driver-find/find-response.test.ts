import { expect, test } from 'vitest'
import { renderFindResponse } from './find-response.ts'

const found = {
  drivingLicenceNumber: 'MORGA657054SM9IJ',
  lastName: 'MORGAN',
  gender: 'Female',
  photograph: null,
  redirected: false,
} as const

test('an item has the members of the specification, and an image and a redirect if the driver has them', () => {
  const { photograph, redirected, ...item } = found

  expect(
    renderFindResponse([found, { ...found, photograph: Buffer.from('a jpeg'), redirected: true }]),
  ).toEqual({
    results: [
      item,
      { ...item, image: { image: 'YSBqcGVn', imageFormat: 'image/jpeg' }, driverRedirect: true },
    ],
  })
})
