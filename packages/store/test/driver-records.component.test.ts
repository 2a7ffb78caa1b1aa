import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { createDriverLookup, findCpc, findTachograph } from '../src/enquiry/driver-records.ts'

const database = await shared(aDatabase())
const retired = await addSet('RETIRED')
const current = await addSet('CURRENT')
await addSet('LOADING')
await addSet('CURRENT', 'uat-driver')
await addDriver(current, 'MORGA657054SM9IJ', {
  record: '{"driver":{"lastName":"Morgan"}}',
  cpc: '{"cpcs":[{"national":true}]}',
  tachograph: '{"tachoCards":[{"cardNumber":"DB12345678901000"}],"tachoUnderPreviousDln":true}',
})
await addDriver(current, 'SMITH711215JS9AB', { record: '{"driver":{"lastName":"Smith"}}' })
await addDriver(retired, 'MORGA657054SM9IJ', { record: '{"driver":{"lastName":"Before"}}' })
await addDriver(retired, 'JONES610267JO9AA', {
  record: '{"driver":{"lastName":"Jones"}}',
  cpc: '{"cpcs":[]}',
  tachograph: '{"tachoCards":[]}',
})

test('finds only records of the current set', async () => {
  const find = createDriverLookup(database.pool)

  expect(await find('MORGA657054SM9IJ')).toEqual({ driver: { lastName: 'Morgan' } })
  expect(await find('JONES610267JO9AA')).toBeUndefined()
  expect(await find('')).toBeUndefined()
})

test('concurrent enquiries share queries, and each gets its own answer', async () => {
  const statements: string[] = []
  const find = createDriverLookup({
    query: (statement: { text: string }) => {
      statements.push(statement.text)
      return database.pool.query(statement as never)
    },
  } as never)
  const numbers = Array.from({ length: 40 }, (_, index) =>
    index % 4 === 0 ? 'MORGA657054SM9IJ' : index % 4 === 1 ? 'SMITH711215JS9AB' : `NO${index}`,
  )

  const answers = await Promise.all(numbers.map(find))

  expect(answers.map((answer) => answer?.driver.lastName)).toEqual(
    numbers.map((_, index) => ['Morgan', 'Smith', undefined, undefined][index % 4]),
  )
  expect(statements.length).toBeLessThan(5)
})

test('a source reads only its own data of a driver', async () => {
  expect(await findCpc(database.pool, 'MORGA657054SM9IJ')).toEqual({ cpcs: [{ national: true }] })
  expect(await findTachograph(database.pool, 'MORGA657054SM9IJ')).toEqual({
    tachoCards: [{ cardNumber: 'DB12345678901000' }],
    tachoUnderPreviousDln: true,
  })
})

test.for(['SMITH711215JS9AB', 'JONES610267JO9AA', 'NOBOD610267JO9AA'])(
  'a source returns nothing for %s: without such data, of an earlier set, unknown',
  async (number) => {
    expect(await findCpc(database.pool, number)).toBeUndefined()
    expect(await findTachograph(database.pool, number)).toBeUndefined()
  },
)

test('reads one partition by its key, with any number of sets', async () => {
  const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, costs off, timing off, summary off)
     select record from driver_record
     where set_id = (select id from record_set where kind = 'driver' and state = 'CURRENT')
       and driving_licence_number = any (array(select unnest(array['MORGA657054SM9IJ', 'SMITH711215JS9AB'])))`,
  )
  const plan = rows.map((row) => row['QUERY PLAN'])

  const executed = plan.filter((line) => !line.includes('never executed'))
  // a plan with a bitmap has a line for the index too
  const partitions = executed.flatMap((line) => /on (driver_record_s\d+)/.exec(line)?.[1] ?? [])
  expect(new Set(partitions)).toEqual(new Set([`driver_record_s${current}`]))
})

test('without a current set no driver is found', async () => {
  const empty = await aDatabase({ connectionsMax: 1 })

  expect(await createDriverLookup(empty.pool)('MORGA657054SM9IJ')).toBeUndefined()
  expect(await findCpc(empty.pool, 'MORGA657054SM9IJ')).toBeUndefined()

  await empty.close()
})

async function addSet(
  state: 'LOADING' | 'CURRENT' | 'RETIRED',
  kind: 'driver' | 'uat-driver' = 'driver',
): Promise<number> {
  const { id } = await database.db
    .insertInto('record_set')
    .values({ kind, mode: 'replace', state, source_sha256: Buffer.alloc(32), created_by: 'test' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await database.pool.query(
    `create table driver_record_s${id} partition of driver_record for values in (${id})`,
  )
  return id
}

async function addDriver(
  setId: number,
  number: string,
  row: { record: string; cpc?: string; tachograph?: string },
): Promise<void> {
  await database.db
    .insertInto('driver_record')
    .values({ set_id: setId, driving_licence_number: number, ...row })
    .execute()
}
