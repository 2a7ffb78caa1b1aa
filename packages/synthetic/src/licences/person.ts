import type { Driver } from '@despatch/domain/driver/driver-record'
import { drivingLicenceNumberOf } from '@despatch/domain/driver/driving-licence-number'
import type { Gender } from '@despatch/domain/driver/values'
import { ageAt, type Day, formatDay, partsOf } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { drawFirstNames } from '../names/first-names.ts'
import { drawSurname } from '../names/surnames.ts'
import type { IdentitySlot } from './identity-slots.ts'

/** Who a driver is, beside the names as they stand on the licence. */
export type Person = { birth: Day; age: number; gender: Gender; slot: IdentitySlot }

export type Names = Pick<Driver, 'firstNames' | 'lastName'>

export function personOf(slot: IdentitySlot, today: Day): Person {
  return { birth: slot.birth, age: ageAt(slot.birth, today), gender: slot.gender, slot }
}

/** Names put together at random, the first names by the year of birth and in keeping with the surname. */
export function drawNames(random: Random, { birth, gender }: Person): Names {
  const { name: lastName, culture } = drawSurname(random)
  const birthYear = partsOf(birth).year
  const firstNames = drawFirstNames(random, { gender, birthYear, culture })
  const ofWoman = gender === 'Female' && culture === 'polish' && lastName.endsWith('ski')
  const names: Names = { lastName: ofWoman ? `${lastName.slice(0, -1)}a` : lastName }
  if (firstNames !== undefined) names.firstNames = firstNames
  return names
}

/** The driving licence number of a person under these names. */
export function numberOf({ birth, gender, slot }: Person, names: Names): string {
  return drivingLicenceNumberOf({ ...names, dateOfBirth: formatDay(birth), gender }, slot)
}
