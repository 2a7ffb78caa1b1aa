import type { PreviousDrivingLicence } from '@despatch/domain/driver/driver-record'
import { drivingLicenceNumberOf } from '@despatch/domain/driver/driving-licence-number'
import { type Day, formatDay } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { drawSurname } from '../names/surnames.ts'
import { type Names, numberOf, type Person } from './person.ts'

const share = { Female: 0.072, Male: 0.01 }
/** Share of drivers with a previous licence who had another before it. */
const hasTwo = 0.08
/** Share of previous licences that show a wrong date of birth. */
const hasOtherBirth = 0.06
/**
 * No current number has this character at 14, so a number with a wrong date of birth cannot be that of another driver.
 */
const fourteenthOfOtherBirth = '2'

/**
 * Draws licences under another last name, or with a date of birth that was corrected later. Undefined for most drivers.
 */
export function drawPreviousLicences(
  random: Random,
  person: Person,
  names: Names,
): PreviousDrivingLicence[] | undefined {
  if (!random.chance(share[person.gender]) || person.age < 19) return undefined

  const current = numberOf(person, names)
  const licences = [drawPrevious(random, person, names)]
  if (random.chance(hasTwo)) licences.push(drawPrevious(random, person, names))
  const others = licences.filter(
    ({ drivingLicenceNumber }, index) =>
      drivingLicenceNumber !== current &&
      licences.findIndex((licence) => licence.drivingLicenceNumber === drivingLicenceNumber) ===
        index,
  )
  return others.length > 0 ? others : undefined
}

function drawPrevious(random: Random, person: Person, names: Names): PreviousDrivingLicence {
  const isOtherBirth = random.chance(hasOtherBirth)
  const birth: Day = isOtherBirth
    ? person.birth + random.pick([-365, -31, -10, -1, 1, 9, 30])
    : person.birth
  const former: Names = { ...names, lastName: drawSurname(random).name }
  const dateOfBirth = formatDay(birth)
  const drivingLicenceNumber = isOtherBirth
    ? drivingLicenceNumberOf(
        { ...former, dateOfBirth, gender: person.gender },
        { ...person.slot, fourteenth: fourteenthOfOtherBirth },
      )
    : numberOf(person, former)
  return { drivingLicenceNumber, ...former, dateOfBirth }
}
