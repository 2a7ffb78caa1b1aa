import { migrate } from '@despatch/store/migrate'
import { shared } from '@despatch/testing/shared'
import { findRefusals, findScenarios } from '@despatch/uat-scenarios/find-scenarios'
import { describe, expect, onTestFinished, test } from 'vitest'
import { publishUatDrivers } from '../src/publish-uat-drivers.ts'
import { aDriver, aDriverDatabase, aDriverFind, type DriverDatabase } from './a-driver-find.ts'

const uat = { DESPATCH_ENVIRONMENT: 'uat' }

const database = await shared(aDriverDatabase([aDriver('MORGA657055SM9IJ')]))
await migrate(database.url, { isTestEnvironment: true })
const driverFind = await shared(aDriverFind(database, uat))

describe('each documented search has its documented result', () => {
  test.for(findScenarios.map((scenario) => [scenario.title, scenario] as const))(
    '%s',
    async ([, { criteria, options = {}, limit, offset, finds, totalCount }]) => {
      const found = await driverFind.find({
        criteria,
        options,
        ...(limit !== undefined && { limit }),
        ...(offset !== undefined && { offset }),
      })
      expect(found).toEqual({ total: String(totalCount), numbers: finds })
    },
  )
})

describe('a search by a predefined last name is refused', () => {
  test.for(findRefusals.map((each) => [each.lastName, each.status] as const))(
    '%s: %i',
    async ([lastName, status]) => {
      const criteria = {
        lastName: lastName.toLowerCase(),
        dateOfBirth: '1990-01-01',
        gender: 'Male',
      }
      const { status: answered, body } = await driverFind.post({ criteria })
      expect([answered, body.errors[0].status]).toEqual([status, String(status)])
    },
  )
})

const morgan = { criteria: { lastName: 'Morgan', dateOfBirth: '1965-07-05', gender: 'Female' } }

test('a search also finds drivers of the records', async () => {
  expect(await driverFind.find(morgan)).toEqual({ total: '1', numbers: ['MORGA657055SM9IJ'] })
})

test('in production the predefined drivers and refusals are unknown', async () => {
  const production = await aDriverFind(database)
  onTestFinished(() => production.close())
  const { status, body } = await production.post({
    criteria: { lastName: 'UATERROR', dateOfBirth: '1990-01-01', gender: 'Male' },
  })
  const scenario = findScenarios.find(({ totalCount }) => totalCount > 0)!
  expect([status, body]).toEqual([200, { results: [] }])
  expect(await production.find({ criteria: scenario.criteria })).toEqual({
    total: '0',
    numbers: [],
  })
})

describe('the predefined drivers are published at the start', () => {
  const drivers = [aDriver('A'), aDriver('B')]
  const sets = async ({ db }: DriverDatabase) =>
    (
      await db
        .selectFrom('record_set')
        .select(['state', 'record_count'])
        .where('kind', '=', 'uat-driver')
        .orderBy('id')
        .execute()
    ).map(({ state, record_count }) => [state, record_count])

  async function aDatabase() {
    const own = await aDriverDatabase()
    onTestFinished(() => own.close())
    return own
  }

  test('once, even if the service starts several times', async () => {
    const own = await aDatabase()
    await publishUatDrivers(own, drivers)
    await publishUatDrivers(own, drivers)
    expect(await sets(own)).toEqual([['CURRENT', 2]])
  })

  test('once, even by several processes at the same time', async () => {
    const own = await aDatabase()
    await Promise.all(Array.from({ length: 4 }, () => publishUatDrivers(own, drivers)))
    const current = (await sets(own)).filter(([state]) => state === 'CURRENT')
    expect(current).toEqual([['CURRENT', 2]])
  })

  test('again when they have changed, also after an interrupted publication', async () => {
    const own = await aDatabase()
    await own.pool.query(
      `insert into record_set (kind, mode, state, source_sha256, created_by)
       values ('uat-driver', 'replace', 'LOADING', 'other', 'test')`,
    )
    await publishUatDrivers(own, drivers)
    await publishUatDrivers(own, drivers.slice(1))
    expect(await sets(own)).toEqual([
      ['ABANDONED', null],
      ['RETIRED', 2],
      ['CURRENT', 1],
    ])
  })
})
