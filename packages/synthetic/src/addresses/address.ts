import type { DriverAddress } from '@despatch/domain/driver/driver-record'
import { faker } from '@faker-js/faker/locale/en_GB'
import type { Random } from '../chance/random.ts'
import { outwardCodes } from './post-towns.ts'

/** Letters of an inward code: without C I K M O V. */
const inwardLetters = 'ABDEFGHJLNPQRSTUWXYZ'

const streetNames = faker.rawDefinitions.location?.street_name
const streets: readonly string[] = Array.isArray(streetNames) ? streetNames : ['High Street']
const districts =
  'Westfield|Newtown|Kingsmead|Northfields|Southgate|Eastcliffe|Lower Green|Upper Green|Mill End|Church End|Hillside|Riverside|Woodlands|Castle Hill|Abbey Park|Fairfield'.split(
    '|',
  )
const houseNames =
  'Rose Cottage|The Old Rectory|The Old Forge|Ivy House|Orchard House|Hill Farm|The Bungalow|Mill House|Willow Barn|Fairview|Holly Lodge|The Coach House|Bryn Awel|Tŷ Gwyn|Hazeldene|Beechwood'.split(
    '|',
  )
const courts = 'Queens|Albion|Station|Victoria|Maple|Chapel|Harbour|St Johns|Park|Weavers'.split(
  '|',
)

const hasHouseName = 0.05
const isFlat = 0.14
const hasDistrict = 0.12

/** Returns an address in the form of one in Great Britain, with the post town in the last line. It need not exist. */
export function drawAddress(random: Random): DriverAddress {
  const { postTown, outward } = random.pick(outwardCodes)
  const postcode = `${outward} ${random.below(10)}${inwardLetter(random)}${inwardLetter(random)}`
  const street = random.pick(streets)
  const numbered = `${1 + Math.floor(random.unit() ** 2 * 220)} ${street}`

  const kind = random.unit()
  const lines: string[] = []
  if (kind < hasHouseName) lines.push(random.pick(houseNames), street)
  else if (kind < hasHouseName + isFlat) lines.push(drawFlat(random), numbered)
  else lines.push(numbered)
  if (random.chance(hasDistrict)) lines.push(random.pick(districts))

  const [line1 = street, line2, line3] = lines
  return {
    line1,
    ...(line2 !== undefined && { line2 }),
    ...(line3 !== undefined && { line3 }),
    line5: postTown,
    postcode,
  }
}

function drawFlat(random: Random): string {
  const flat = `Flat ${1 + random.below(40)}`
  return random.chance(0.3) ? `${flat} ${random.pick(courts)} Court` : flat
}

function inwardLetter(random: Random): string {
  return inwardLetters.charAt(random.below(inwardLetters.length))
}
