import type { Driver } from '@despatch/domain/driver/driver-record'
import type { FindRequest, Statement } from './bare-statement.ts'
import type { CommonNames } from './drivers-seen.ts'
import { misspell } from './misspell.ts'

/** One kind of search, for each person in a list. */
export type Search = {
  name: string
  /** The request to the service for each person. */
  requests: FindRequest[]
  /** The same search without an index, for each person. */
  scans: Statement[]
}

/** Makes searches for known drivers, and for the most common names, which thousands of drivers have. */
export function makeSearches(drivers: readonly Driver[], common: CommonNames): Search[] {
  const commonest = common.lastNames.flatMap((lastName) =>
    (['Male', 'Female'] as const).flatMap((gender) =>
      common.firstNames[gender].map((firstNames) => ({ lastName, firstNames, gender })),
    ),
  )
  return [
    search('exact', drivers, {
      request: ({ firstNames = '', lastName, dateOfBirth }) => ({
        criteria: { firstNames, lastName, dateOfBirth },
        options: { lastNameMatchType: 'exact', firstNamesMatchType: 'exact' },
      }),
      scan: ({ firstNames, lastName, dateOfBirth }) => [
        'last_name ilike $1 and first_names ilike $2 and date_of_birth = $3',
        [likePattern(lastName), likePattern(firstNames), dateOfBirth],
      ],
    }),
    search('phonetic', drivers.map(misspelt), {
      request: ({ firstNames = '', lastName, dateOfBirth }) => ({
        criteria: { firstNames, lastName, dateOfBirth },
        options: { lastNameMatchType: 'phonetic', firstNamesMatchType: 'phonetic' },
      }),
      scan: ({ firstNames, lastName, dateOfBirth }) => [
        'soundex(last_name) = soundex($1) and soundex(first_names) = soundex($2) and date_of_birth = $3',
        [lastName, firstNames, dateOfBirth],
      ],
    }),
    search('token', drivers, {
      request: ({ firstNames, lastName, address }) => ({
        criteria: {
          firstNames: lastWord(firstNames),
          lastName: lastWord(lastName),
          postcode: postcodeOf(address),
        },
        options: { lastNameMatchType: 'token', firstNamesMatchType: 'token' },
      }),
      scan: ({ firstNames, lastName, address }) => [
        "last_name ilike '%' || $1 || '%' and first_names ilike '%' || $2 || '%' and postcode = $3",
        [
          likePattern(lastWord(lastName)),
          likePattern(lastWord(firstNames)),
          postcodeOf(address).replaceAll(' ', ''),
        ],
      ],
    }),
    search('fullName', drivers, {
      request: (driver) => ({
        criteria: {
          fullName: fullName(driver),
          dateOfBirth: driver.dateOfBirth,
          gender: driver.gender,
        },
      }),
      scan: (driver) => [
        "first_names || ' ' || last_name ilike $1 and date_of_birth = $2 and gender = $3",
        [likePattern(fullName(driver)), driver.dateOfBirth, driver.gender],
      ],
    }),
    search('worst case', commonest, {
      request: (criteria) => ({
        criteria,
        options: { lastNameMatchType: 'phonetic', firstNamesMatchType: 'phonetic' },
      }),
      scan: ({ firstNames, lastName, gender }) => [
        'soundex(last_name) = soundex($1) and soundex(first_names) = soundex($2) and gender = $3',
        [lastName, firstNames, gender],
      ],
    }),
  ]
}

type Forms<Person> = {
  request: (person: Person) => FindRequest
  /** A condition on a name, and its values. */
  scan: (person: Person) => [condition: string, values: unknown[]]
}

function search<Person>(
  name: string,
  people: readonly Person[],
  { request, scan }: Forms<Person>,
): Search {
  return {
    name,
    requests: people.map(request),
    scans: people.map((person) => {
      const [condition, values] = scan(person)
      return {
        text: `select driving_licence_number, last_name, gender from driver_search
          where set_id = (select id from record_set where kind = 'driver' and state = 'CURRENT') and ${condition}
          order by last_name, first_names, driving_licence_number limit 20`,
        values,
      }
    }),
  }
}

function misspelt(driver: Driver): Driver {
  return { ...driver, lastName: misspell(driver.lastName) }
}

function fullName({ firstNames, lastName }: Driver): string {
  return [firstNames, lastName].join(' ')
}

function lastWord(name = ''): string {
  return name.split(/[ -]/).at(-1)!
}

function postcodeOf(address: Driver['address']): string {
  return address?.unstructuredAddress.postcode ?? ''
}

function likePattern(text = ''): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
