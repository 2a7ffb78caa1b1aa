import { isAnyToGather } from '@despatch/store/print-run/gather'
import { isTrue } from '@despatch/testing/is-true'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGathering } from '../src/print-run/gather.ts'
import { aPrintFloor, everyMidnight, type PrintFloor } from './a-print-floor.ts'

const anHourMs = 3_600_000

let floor: PrintFloor
beforeEach(async () => {
  floor = await aPrintFloor()
})
afterEach(() => floor.close())

test('print jobs wait while no provider exists', async () => {
  await floor.addPending({})

  const { db } = floor.database
  expect(await createGathering({ db, runAgeMs: 0, documentsMax: 10 })()).toBe('idle')
  expect(await floor.listRuns()).toEqual([])
})

test('there is work while a print job is in no run, or a run waits', async () => {
  await floor.addProvider('north')
  await floor.addPending({})
  expect(await isTrue(floor.own.db, isAnyToGather)).toBe(true)

  await floor.gatherAll({ runAgeMs: 0 })
  expect(await isTrue(floor.own.db, isAnyToGather)).toBe(true)

  await floor.database.pool.query(`update print_run set state = 'CLOSED', closed_at = now()`)
  expect(await isTrue(floor.own.db, isAnyToGather)).toBe(false)
})

test('gathers print jobs into one run for each stream', async () => {
  await floor.addProvider('north', { can: { stationery: ['A4-PLAIN', 'A4-CREST'] } })
  await floor.addPending({}, { params: { despatchMethod: 'FIRST' } }, { sheets: 6 }, {})

  await floor.gatherAll({ runAgeMs: anHourMs })
  await floor.addPending({})
  await floor.gatherAll({ runAgeMs: anHourMs })
  await floor.database.pool.query(`update contract set stationery = 'A4-CREST'`)
  await floor.addPending({}, {})
  await floor.gatherAll({ runAgeMs: anHourMs })

  const runs = await floor.listRuns()
  const north = { provider: 'north', location: 'NORTH', state: 'OPEN' }
  expect(runs.toSorted((one, other) => other.documents - one.documents)).toEqual([
    { ...north, method: 'SECOND', format: 'LETTER', documents: 3 },
    { ...north, method: 'SECOND', format: 'LETTER', documents: 2 },
    { ...north, method: 'FIRST', format: 'LETTER', documents: 1 },
    { ...north, method: 'SECOND', format: 'LARGE_LETTER', documents: 1 },
  ])
})

test('a letter is gathered by the method by which it is produced, and without one by its submitted method', async () => {
  await floor.addProvider('north')
  const address = { internationalAddress: { line1: '1 Rue Haute', country: 'France' } }
  const [, domestic] = await floor.addPending(
    { params: { address, despatchMethod: 'FIRST' } },
    { params: { despatchMethod: 'FIRST' } },
  )
  await floor.database.pool.query('update print_job set produced_as = null where key = $1', [
    domestic!.key,
  ])

  await floor.gatherAll({ runAgeMs: anHourMs })

  const runs = await floor.listRuns()
  expect(runs.map(({ method }) => method).sort()).toEqual(['FIRST', 'INTERNATIONAL_EU'])
})

test('a document keeps the number with which it was made, and gets a new one otherwise', async () => {
  await floor.addProvider('north')
  const [numbered, other] = await floor.addPending({}, {})
  await floor.database.pool.query('update print_job set document_number = 77 where key = $1', [
    numbered!.key,
  ])

  await floor.gatherAll({ runAgeMs: 0 })

  const { rows } = await floor.database.pool.query(
    'select print_job_key as key, document_id as document from print_run_document',
  )
  const documents = new Map(rows.map(({ key, document }) => [key, document]))
  expect(documents.get(numbered!.key)).toBe('D77')
  expect(documents.get(other!.key)).toMatch(/^D1[0-9]{8}$/)
})

test('releases a run at its maximum age, and gathers later print jobs into another', async () => {
  await floor.addProvider('north')
  await floor.addPending({})

  await floor.gatherAll({ runAgeMs: anHourMs })
  expect(await floor.listRuns()).toMatchObject([{ state: 'OPEN' }])
  await floor.database.pool.query(`update print_run set opened_at = now() - interval '1 hour'`)
  await floor.gatherAll({ runAgeMs: anHourMs })
  await floor.addPending({})
  await floor.gatherAll({ runAgeMs: anHourMs })

  expect(await floor.listRuns()).toMatchObject([
    { state: 'RELEASED', documents: 1 },
    { state: 'OPEN', documents: 1 },
  ])
})

test('releases a full run at once and never exceeds its limit', async () => {
  await floor.addProvider('north')
  await floor.addPending(...Array.from({ length: 7 }, () => ({})))

  await floor.gatherAll({ runAgeMs: anHourMs, documentsMax: 3 })

  expect(await floor.listRuns()).toMatchObject([
    { state: 'RELEASED', documents: 3 },
    { state: 'RELEASED', documents: 3 },
    { state: 'OPEN', documents: 1 },
  ])
})

test('numbers the documents of a run: by weight band, postcode area, document number', async () => {
  await floor.addProvider('north')
  const printJobs = await floor.addPending(
    { sheets: 19, postcode: 'AA1 1AA' },
    { sheets: 6, postcode: 'ZZ1 1ZZ' },
    { sheets: 18, postcode: 'M2 2MM' },
    { sheets: 7, postcode: 'M1 1MM' },
    { sheets: 6, postcode: '' },
    { sheets: 6, postcode: 'MA1 1MM' },
  )
  const keys = printJobs.map(({ key }) => key)
  await floor.database.pool.query(
    'update print_job set document_number = 9 + array_position($1::uuid[], key) where key = any ($1)',
    [keys],
  )

  await floor.gatherAll({ runAgeMs: 0 })

  const { rows } = await floor.database.pool.query(`
    select sequence, document_id as document, right(fulfilment_job_id, 4) as job from print_run_document order by sequence`)
  expect(rows).toEqual([
    { sequence: 1, document: 'D12', job: '-001' },
    { sequence: 2, document: 'D13', job: '-001' },
    { sequence: 3, document: 'D15', job: '-001' },
    { sequence: 4, document: 'D11', job: '-001' },
    { sequence: 5, document: 'D14', job: '-001' },
    { sequence: 6, document: 'D10', job: '-002' },
  ])
})

test('splits a run into fulfilment jobs of at most 2,500 documents, with totals', async () => {
  await floor.addProvider('north')
  await floor.addManyPending(5_100)

  await floor.gatherAll({ runAgeMs: 0, documentsMax: 10_000 })

  const { rows: jobs } = await floor.database.pool.query(`
    select batch_number || right(fulfilment_job_id, 4) = fulfilment_job_id as is_of_run, count(*) as documents
    from print_run_document group by fulfilment_job_id, 1 order by fulfilment_job_id`)
  expect(jobs).toEqual([
    { is_of_run: true, documents: 2_500 },
    { is_of_run: true, documents: 2_500 },
    { is_of_run: true, documents: 100 },
  ])
  const { rows: runs } = await floor.database.pool.query(
    'select document_count, sheet_count, page_count, byte_count from print_run',
  )
  expect(runs).toEqual([
    { document_count: 5_100, sheet_count: 5_100, page_count: 5_100, byte_count: 51_000 },
  ])
})

test('releases a run on request before its cut-off', async () => {
  await floor.addProvider('north', { can: { calendar: everyMidnight } })
  await floor.addPending({})
  await floor.gatherAll({ runAgeMs: anHourMs })

  await floor.database.pool.query(
    `update print_run set release_asked_at = now(), release_asked_by = 'someone'`,
  )
  await floor.gatherAll({ runAgeMs: anHourMs })

  expect(await floor.listRuns()).toMatchObject([{ state: 'RELEASED', documents: 1 }])
})

test('concurrent gathering puts a letter into only one run', async () => {
  await floor.addProvider('north')
  const printJobs = await floor.addPending(...Array.from({ length: 200 }, () => ({})))

  await Promise.all(
    Array.from({ length: 5 }, () => floor.gatherAll({ runAgeMs: anHourMs, documentsMax: 30 })),
  )

  const { rows } = await floor.database.pool.query(
    'select print_job_key as key from print_run_document order by 1',
  )
  expect(rows.map(({ key }) => key)).toEqual(printJobs.map(({ key }) => key).toSorted())
})

test('a deleted print job is not gathered, and a run that loses all its documents is closed', async () => {
  await floor.addProvider('north')
  const [deletedBefore, deletedOpen] = await floor.addPending({}, {})
  await floor.deleteJob(deletedBefore!.id)
  await floor.gatherAll({ runAgeMs: anHourMs })
  expect(await floor.listRuns()).toMatchObject([{ state: 'OPEN', documents: 1 }])

  await floor.deleteJob(deletedOpen!.id)
  await floor.gatherAll({ runAgeMs: anHourMs })

  expect(await floor.listRuns()).toMatchObject([{ state: 'CLOSED', documents: 0 }])
})

test('deletions concurrent with gathering and release leave no deleted letter in a run', async () => {
  await floor.addProvider('north')
  const printJobs = await floor.addPending(...Array.from({ length: 100 }, () => ({})))

  const [, ...outcomes] = await Promise.all([
    floor.gatherAll({ runAgeMs: 0, documentsMax: 20 }),
    ...printJobs.filter((_, index) => index % 2 === 0).map(({ id }) => floor.deleteJob(id)),
  ])
  await floor.gatherAll({ runAgeMs: 0 })

  expect(new Set(outcomes)).toEqual(new Set(['deleted']))
  const { rows } = await floor.database.pool.query(
    'select print_job_key as key from print_run_document where removed_at is null order by 1',
  )
  const kept = printJobs.filter((_, index) => index % 2 === 1).map(({ key }) => key)
  expect(rows.map(({ key }) => key)).toEqual(kept.toSorted())
})
