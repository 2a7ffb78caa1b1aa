import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { parseDay } from './calendar.ts'
import { createRandom } from './chance/random.ts'
import { drawDriver } from './licences/driver.ts'
import { createIdentitySlots } from './licences/identity-slots.ts'
import { personOf } from './licences/person.ts'
import { portraits } from './portraits.ts'

export type DriverSet = {
  /** A whole number. The same seed makes the same drivers. */
  seed: number
  /** How many. Infinity: as many as the caller takes. */
  count: number
  /** YYYY-MM-DD. Ages, expiries and disqualifications are as of this day. */
  today: string
  /** Percentage of drivers with a photograph, from 0 to 100. */
  imagePercent: number
}

/**
 * Generates drivers with frequencies as in Great Britain, one after another, without storing any. They contain no real
 * data: names are random combinations, addresses are real only in form, photographs are drawings. Driving licence
 * numbers are unique and match name, date of birth and gender. The driver at an index depends only on seed and today,
 * so a small set is the start of a large one. Throws an error that names the field if a setting is out of range.
 */
export function* generateDrivers(set: DriverSet): Generator<DriverRecord, void, undefined> {
  const { seed, count, imagePercent } = set
  if (!Number.isSafeInteger(seed)) throw new Error('seed is not a whole number')
  if (!(count >= 0)) throw new Error('count is not a number from 0 on')
  if (!(imagePercent >= 0 && imagePercent <= 100))
    throw new Error('imagePercent is not from 0 to 100')
  const today = parseDay(set.today, 'today')
  const randoms = createRandom(seed)
  const slotOf = createIdentitySlots(seed, today)

  for (let index = 0; index < count; index++) {
    const random = randoms.at(index)
    const person = personOf(slotOf(index, random), today)
    const hasImage = random.unit() * 100 < imagePercent
    const portrait = random.pick(portraits)
    const record = drawDriver(random, person, today)
    if (hasImage) record.photograph = portrait
    yield record
  }
}
