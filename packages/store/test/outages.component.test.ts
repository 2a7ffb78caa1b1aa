import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { beforeEach, expect, test } from 'vitest'
import { endOutage, listOutages, noteOutage } from '../src/outage/outages.ts'

const database = await shared(aDatabase({ connectionsMax: 2 }))
beforeEach(() => database.pool.query('delete from dependency_outage'))

const seen = (detail: Partial<Parameters<typeof noteOutage>[1]> = {}) =>
  noteOutage(database.db, {
    service: 'pipeline',
    dependency: 'object-store',
    reason: 'ECONNREFUSED',
    ageMs: 0,
    ...detail,
  })

/** The ages in seconds, in whole tens, because time passes during a test. */
const agesOfRows = async () => {
  const { rows } = await database.pool.query<{ age: number }>(
    'select floor(extract(epoch from now() - since) / 10)::integer * 10 as age from dependency_outage order by since',
  )
  return rows.map(({ age }) => age)
}

const hoursPass = (hours: number) =>
  database.pool.query(
    `update dependency_outage set since = since - $1::integer * interval '1 hour',
       seen_at = seen_at - $1::integer * interval '1 hour', ended_at = ended_at - $1::integer * interval '1 hour'`,
    [hours],
  )

test('an outage that is reported again stays one outage, with the latest report', async () => {
  await seen({ ageMs: 30_000 })
  await seen({ ageMs: 45_000, reason: 'TimeoutError' })

  expect(await agesOfRows()).toEqual([30])
  expect(await listOutages(database.db)).toEqual([
    {
      dependency: 'object-store',
      services: ['pipeline'],
      since: expect.any(Date),
      seenAt: expect.any(Date),
      reason: 'TimeoutError',
    },
  ])
})

test('an outage that several services report is listed once', async () => {
  await seen({ ageMs: 5_000 })
  await seen({ service: 'print-request', ageMs: 90_000 })
  await seen({ dependency: 'queue' })

  const outages = await listOutages(database.db)

  expect(outages.map(({ dependency, services }) => [dependency, services])).toEqual([
    ['object-store', ['pipeline', 'print-request']],
    ['queue', ['pipeline']],
  ])
  expect(Date.now() - outages[0]!.since.getTime()).toBeGreaterThan(80_000)
})

test('an outage that has ended is not listed, and the next report starts another', async () => {
  await seen({ ageMs: 50_000 })
  await endOutage(database.db, { service: 'pipeline', dependency: 'object-store' })
  await endOutage(database.db, { service: 'pipeline', dependency: 'object-store' })
  expect(await listOutages(database.db)).toEqual([])

  await seen()

  expect(await agesOfRows()).toEqual([50, 0])
})

test('an outage that only a stopped service reported is not listed', async () => {
  await seen()
  await hoursPass(1)

  expect(await listOutages(database.db)).toEqual([])
})

test('outages are kept for 90 days', async () => {
  await seen()
  await endOutage(database.db, { service: 'pipeline', dependency: 'object-store' })
  await hoursPass(90 * 24 + 1)

  await seen({ dependency: 'database' })

  expect(await agesOfRows()).toEqual([0])
})
