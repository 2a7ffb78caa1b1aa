import { parsePostcodeSearch, planPostcodeSearch } from '@despatch/domain/driver/postcode-search'
import type { Database } from '@despatch/store/database'
import { type DriverSearch, searchDrivers } from '@despatch/store/enquiry/driver-search'

type Criteria = DriverSearch['criteria']

/** A recorded driver, and the last name by which somebody who misspells it searches. */
export type SoughtDriver = Required<Pick<Criteria, 'firstNames' | 'dateOfBirth' | 'gender'>> & {
  drivingLicenceNumber: string
  misspelt: string
  /** A whole one. */
  postcode: string
}

const first = 10

/** Any two criteria beside the misspelt last name, in the order in which results are returned. */
const combinations = [
  ['dateOfBirth', 'gender'],
  ['dateOfBirth', 'firstNames'],
  ['dateOfBirth', 'postcode'],
  ['postcode', 'gender'],
  ['postcode', 'firstNames'],
  ['firstNames', 'gender'],
] as const

/** How a combination did. `found` is the percentage of drivers who are among the first ten results. */
type Ranking = { criteria: string; found: number }

/** Searches for each driver by the misspelt last name and each combination of two other criteria. */
export async function measureRanking(
  pool: Database['pool'],
  drivers: readonly SoughtDriver[],
): Promise<Ranking[]> {
  const rankings: Ranking[] = []
  for (const combination of combinations) {
    let found = 0
    for (const driver of drivers) {
      const page = await searchDrivers(pool, searchFor(driver, combination))
      if (page.drivers.some((each) => each.drivingLicenceNumber === driver.drivingLicenceNumber))
        found += 1
    }
    rankings.push({
      criteria: combination.join(' and '),
      found: Math.round((1000 * found) / drivers.length) / 10,
    })
  }
  return rankings
}

function searchFor(
  { misspelt, postcode, ...driver }: SoughtDriver,
  combination: (typeof combinations)[number],
): DriverSearch {
  const known = { ...driver, postcode: planPostcodeSearch(parsePostcodeSearch(postcode)!, true) }
  return {
    kinds: ['driver'],
    criteria: {
      lastName: misspelt,
      ...Object.fromEntries(combination.map((criterion) => [criterion, known[criterion]])),
    },
    lastNameMatchType: 'phonetic',
    firstNamesMatchType: 'phonetic',
    previousNames: true,
    previousDatesOfBirth: true,
    withPhotographs: false,
    orderBy: 'relevance',
    limit: first,
    offset: 0,
  }
}
