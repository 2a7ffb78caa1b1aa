import { aRecordStore, driver } from '@despatch/testing/a-record-store'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/database.ts'
import { searchDrivers } from '../src/enquiry/driver-search.ts'

const driverCount = 6_000
/** A search that compares each word with each would take hours. */
const statementTimeoutMs = 60_000

/** Every driver has a name of their own that begins like what is asked for. */
const store = await shared(aRecordStore())
await store.published(
  Array.from({ length: driverCount }, (_, index) =>
    driver(`N${index}`, {
      driver: {
        firstNames: `JO${syllables(index)}`,
        lastName: `${['S', 'A', 'JO'][index % 3]}${syllables(index * 7)}`,
        gender: 'Male',
      },
    }),
  ),
  { kind: 'driver' },
)
const { pool } = await shared(
  openDatabase(store.url, { name: 'test', connectionsMax: 1, statementTimeoutMs }),
)

test.for([
  ['one letter as full name', { fullName: 'J' }],
  ['one letter as last name and one as first names', { lastName: 'A', firstNames: 'J' }],
  ['a word 33 times', { fullName: Array(33).fill('jo').join(' ') }],
  ['a first name 33 times', { lastName: 'Jones', firstNames: Array(33).fill('jo').join(' ') }],
  ['8 words', { fullName: 'jo joe jon john joan jones josh joseph' }],
] as const)('a search for a name with many similar names is fast: %s', async ([, criteria]) => {
  const page = await searchDrivers(pool, {
    kinds: ['driver'],
    criteria: { gender: 'Male', ...criteria },
    lastNameMatchType: 'phonetic',
    firstNamesMatchType: 'phonetic',
    previousNames: true,
    previousDatesOfBirth: true,
    withPhotographs: false,
    orderBy: 'relevance',
    limit: 50,
    offset: 0,
  })
  expect(page.totalCount).toBeLessThan(driverCount)
})

function syllables(index: number): string {
  return [...String(index)]
    .map((digit) => 'BACEDIFOGUHAKELIMONU'.slice(2 * +digit).slice(0, 2))
    .join('')
}
