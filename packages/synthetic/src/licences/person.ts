import type { Driver } from '@despatch/domain/driver/driver-record'
import { drivingLicenceNumberOf } from '@despatch/domain/driver/driving-licence-number'
import type { Gender } from '@despatch/domain/driver/values'
import { ageAt, type Day, formatDay, partsOf } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { drawFirstNames } from '../names/first-names.ts'
import { drawSurname } from '../names/surnames.ts'
import type { IdentitySlot } from './identity-slots.ts'

/** A driver's identity, apart from the names on the licence. */
export type Person = { birth: Day; age: number; gender: Gender; slot: IdentitySlot }

export type Names = Pick<Driver, 'firstNames' | 'lastName'>

export function personOf(slot: IdentitySlot, today: Day): Person {
  return { birth: slot.birth, age: ageAt(slot.birth, today), gender: slot.gender, slot }
}

/** Draws random names. First names match the year of birth and the surname. */
export function drawNames(random: Random, { birth, gender }: Person): Names {
  const { name: lastName, culture } = drawSurname(random)
  const birthYear = partsOf(birth).year
  const firstNames = drawFirstNames(random, { gender, birthYear, culture })
  const ofWoman = gender === 'Female' && culture === 'polish' && lastName.endsWith('ski')
  const names: Names = { lastName: ofWoman ? `${lastName.slice(0, -1)}a` : lastName }
  if (firstNames !== undefined) names.firstNames = firstNames
  return names
}

/** Returns the driving licence number of a person with these names. */
export function numberOf({ birth, gender, slot }: Person, names: Names): string {
  return drivingLicenceNumberOf({ ...names, dateOfBirth: formatDay(birth), gender }, slot)
}
