import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { parseDay } from './calendar.ts'
import { createRandom } from './chance/random.ts'
import { drawDriver } from './licences/driver.ts'
import { createIdentitySlots } from './licences/identity-slots.ts'
import { personOf } from './licences/person.ts'
import { portraits } from './portraits.ts'

export type DriverSet = {
  /** A whole number: the same seed makes the same drivers. */
  seed: number
  /** How many; Infinity for as many as are taken. */
  count: number
  /** YYYY-MM-DD: ages, expiries and disqualifications are as of this day. */
  today: string
  /** Of 100 drivers, so many have a photograph: from 0 to 100. */
  imagePercent: number
}

/**
 * Makes up drivers as common in Great Britain, one after another and without keeping any. Nobody's data is in them:
 * names are random combinations, addresses have the right shape alone, photographs are drawings. Driving licence
 * numbers differ from each other and follow from name, date of birth and gender. The driver at a place depends on seed
 * and today alone, so that a small set is the head of a large one. Throws an error that names the field for a setting
 * out of range.
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
