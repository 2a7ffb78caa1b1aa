import { readFile } from 'node:fs/promises'
import { aRecordStore, driver } from '@despatch/testing/a-record-store'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { measureRanking, type SoughtDriver } from './measure-ranking.ts'

const driverCount = 5_000
/** As many drivers share a date of birth as among a million. */
const days = 110
const firstNames = ['JAMES', 'AMELIA', 'OLIVER', 'SOPHIE', 'THOMAS', 'ZARA', 'HARRY', 'NADIA']

const store = await shared(aRecordStore())

test('among 5,000 drivers, a search with a misspelt last name lists the driver in the first ten', async () => {
  const pairs = await readPairs()
  const names = pairs.flatMap(({ name, other }) => [name, other])
  const drivers = Array.from({ length: driverCount }, (_, index) => driverAt(index, names))
  await store.published(
    drivers.map(({ drivingLicenceNumber, lastName, postcode, ...details }) =>
      driver(drivingLicenceNumber, {
        driver: { ...details, lastName, address: { unstructuredAddress: { postcode } } },
      }),
    ),
    { kind: 'driver' },
  )
  const sought = pairs.flatMap(({ name, isSame }, index): SoughtDriver[] => {
    const { lastName: _, ...held } = drivers[2 * index + 1]!
    return isSame && index % 2 === 0 ? [{ ...held, misspelt: name }] : []
  })

  const rankings = await measureRanking(store.pool, sought)

  console.info(rankings)
  const found = Object.fromEntries(rankings.map(({ criteria, found }) => [criteria, found]))
  expect(sought.length).toBeGreaterThan(150)
  expect(Object.entries(found).filter(([criteria, share]) => share < leastOf(criteria))).toEqual([])
})

function leastOf(criteria: string): number {
  return criteria === 'firstNames and gender' ? 85 : 97
}

function driverAt(index: number, names: readonly string[]) {
  const day = new Date(Date.UTC(1980, 0, 1 + ((index * 37) % days)))
  return {
    drivingLicenceNumber: `N${index}`,
    lastName: names[index % names.length]!,
    firstNames: firstNames[index % firstNames.length]!,
    dateOfBirth: day.toISOString().slice(0, 10),
    postcode: `AB${1 + (index % 97)}${index % 10}CD`,
    gender: index % 2 === 0 ? ('Male' as const) : ('Female' as const),
  }
}

async function readPairs() {
  const texts = await Promise.all(
    ['development', 'held-out'].map((half) =>
      readFile(new URL(`name-pairs/${half}.csv`, import.meta.url), 'utf8'),
    ),
  )
  return texts
    .flatMap((text) => text.trim().split('\n').slice(1))
    .map((line) => {
      const [name = '', other = '', label] = line.split(',')
      return { name, other, isSame: label === 'same' }
    })
}
