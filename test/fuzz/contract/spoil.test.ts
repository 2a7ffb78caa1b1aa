import { expect, test } from 'vitest'
import { drawFor } from './draw.ts'
import { spoil } from './spoil.ts'

const drawn = 3_000
/** Three repetitions within one another would make 500 × 500 × 500 items. */
const charactersMax = 4_000_000

test('a spoiled value stays small enough to be sent', () => {
  const sound = {
    registrationNumber: 'AB12CDE',
    driver: { drivingLicenceNumber: 'X' },
    make: 'ANY',
  }

  const sizes = Array.from(
    { length: drawn },
    (_, index) => (JSON.stringify(spoil(sound, drawFor(6, index))) ?? '').length,
  )

  expect(Math.max(...sizes)).toBeLessThan(charactersMax)
})
