import { randomUUID } from 'node:crypto'
import type { StandardParams } from '@despatch/domain/print-job/params'
import { insertProvider as insertStoredProvider } from '@despatch/store/consumers'
import { openDatabase } from '@despatch/store/database'
import { deletePrintJob } from '@despatch/store/delete-print-job'
import { movePrintJobs } from '@despatch/store/print-jobs'
import { saveSubmissions } from '@despatch/store/submissions'
import { cloneDatabase } from '@despatch/testing/clone-database'
import {
  aSubmission,
  insertConsumer,
  type StoredConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildPrintRuns } from '../src/print-run.ts'

const anHourMs = 3_600_000

let testDatabase: Awaited<ReturnType<typeof cloneDatabase>>
let database: ReturnType<typeof openDatabase>
let consumer: StoredConsumer

beforeEach(async () => {
  testDatabase = await cloneDatabase()
  database = openDatabase(testDatabase.url, { name: 'test', connectionsMax: 6 })
  consumer = await insertConsumer(database.db)
})
afterEach(async () => {
  await database.close()
  await testDatabase.drop()
})

type Letter = { sheets?: number; postcode?: string; params?: Partial<StandardParams> }

function insertProvider(id = 'north', printLocation = id.toUpperCase()): Promise<unknown> {
  return insertStoredProvider(database.db, { id, name: id, printLocations: [printLocation] })
}

async function addPending(...letters: Letter[]): Promise<{ key: string; id: string }[]> {
  const submissions = letters.map(({ params }) =>
    aSubmission(consumer, { standardParams: { ...someStandardParams, ...params } }),
  )
  await saveSubmissions(database.pool, submissions)
  const moves = letters.map(({ sheets = 1, postcode = 'AB1 2CD' }, index) => ({
    key: submissions[index]!.key,
    made: {
      printableAddress: {
        line1: 'A',
        recipientLine1: 'B',
        recipientLine2: '',
        postcode,
        dps: null,
      },
      documentSha256: randomUUID().replaceAll('-', '').repeat(2),
      documentBytes: 10,
      documentPages: sheets,
      documentSheets: sheets,
    },
  }))
  await database.db.transaction().execute(async (tx) => {
    await movePrintJobs(
      tx,
      moves.map(({ key }) => ({ key })),
      'release',
      { actor: 'test' },
    )
    await movePrintJobs(tx, moves, 'accept', { actor: 'test' })
  })
  return submissions.map(({ key, id }) => ({ key, id }))
}

async function buildAll(options: { runAgeMs: number; documentsMax?: number }): Promise<void> {
  const { runAgeMs, documentsMax = 1_000 } = options
  while ((await buildPrintRuns({ db: database.db, runAgeMs, documentsMax })) === 'again');
}

async function listRuns() {
  const { rows } = await database.pool.query(`
    select run.provider_id as provider, print_location as location, despatch_method as method, state,
      count(document.document_id) filter (where document.removed_at is null) as documents
    from print_run run left join print_run_document document using (batch_number)
    group by run.batch_number order by run.batch_number`)
  return rows
}

test('print jobs wait while there is no provider', async () => {
  await addPending({})

  expect(await buildPrintRuns({ db: database.db, runAgeMs: 0, documentsMax: 10 })).toBe('idle')
  expect(await listRuns()).toEqual([])
})

test('gathers into one run for each stream, at the first location of the first provider', async () => {
  await insertProvider('north')
  await insertProvider('south')
  await addPending({}, { params: { despatchMethod: 'FIRST' } }, {})

  await buildAll({ runAgeMs: anHourMs })
  await addPending({})
  await buildAll({ runAgeMs: anHourMs })

  expect((await listRuns()).toSorted((one, other) => one.documents - other.documents)).toEqual([
    { provider: 'north', location: 'NORTH', method: 'FIRST', state: 'OPEN', documents: 1 },
    { provider: 'north', location: 'NORTH', method: 'SECOND', state: 'OPEN', documents: 3 },
  ])
})

test('names a document by the number that it was made with, and one without a number by a new one', async () => {
  await insertProvider()
  const [numbered, other] = await addPending({}, {})
  await database.pool.query('update print_job set document_number = 77 where key = $1', [
    numbered!.key,
  ])

  await buildAll({ runAgeMs: 0 })

  const { rows } = await database.pool.query(
    'select print_job_key as key, document_id as document from print_run_document',
  )
  const documents = new Map(rows.map(({ key, document }) => [key, document]))
  expect(documents.get(numbered!.key)).toBe('D77')
  expect(documents.get(other!.key)).toMatch(/^D1[0-9]{8}$/)
})

test('releases a run at its age, and gathers what comes later into another', async () => {
  await insertProvider()
  await addPending({})

  await buildAll({ runAgeMs: anHourMs })
  expect(await listRuns()).toMatchObject([{ state: 'OPEN' }])
  await database.pool.query(`update print_run set opened_at = now() - interval '1 hour'`)
  await buildAll({ runAgeMs: anHourMs })
  await addPending({})
  await buildAll({ runAgeMs: anHourMs })

  expect(await listRuns()).toMatchObject([
    { state: 'RELEASED', documents: 1 },
    { state: 'OPEN', documents: 1 },
  ])
})

test('releases a full run at once and never overfills it', async () => {
  await insertProvider()
  await addPending(...Array.from({ length: 7 }, () => ({})))

  await buildAll({ runAgeMs: anHourMs, documentsMax: 3 })

  expect(await listRuns()).toMatchObject([
    { state: 'RELEASED', documents: 3 },
    { state: 'RELEASED', documents: 3 },
    { state: 'OPEN', documents: 1 },
  ])
})

test('numbers the documents of a run: letters before large ones, then by postcode', async () => {
  await insertProvider()
  const letters = [
    { sheets: 6, postcode: 'AA1 1AA' },
    { sheets: 5, postcode: 'ZZ1 1ZZ' },
    { sheets: 1, postcode: 'MM1 1MM' },
  ]
  const [large, z, m] = await addPending(...letters)

  await buildAll({ runAgeMs: 0 })

  const { rows } = await database.pool.query(
    'select print_job_key as key, sequence, split_part(fulfilment_job_id, $1, 2) as job from print_run_document order by sequence',
    ['-'],
  )
  expect(rows).toEqual([
    { key: m!.key, sequence: 1, job: '001' },
    { key: z!.key, sequence: 2, job: '001' },
    { key: large!.key, sequence: 3, job: '002' },
  ])
})

test('a letter is in one run, however many builders there are', async () => {
  await insertProvider()
  const printJobs = await addPending(...Array.from({ length: 200 }, () => ({})))

  await Promise.all(
    Array.from({ length: 5 }, () => buildAll({ runAgeMs: anHourMs, documentsMax: 30 })),
  )

  const { rows } = await database.pool.query(
    'select print_job_key as key from print_run_document order by 1',
  )
  expect(rows.map(({ key }) => key)).toEqual(printJobs.map(({ key }) => key).toSorted())
})

test('a deleted print job is not gathered, and a run that loses all its documents is closed', async () => {
  await insertProvider()
  const [deletedBefore, deletedOpen] = await addPending({}, {})
  await deletePrintJob(database.db, consumer.consumerId, deletedBefore!.id)
  await buildAll({ runAgeMs: anHourMs })
  expect(await listRuns()).toMatchObject([{ state: 'OPEN', documents: 1 }])

  await deletePrintJob(database.db, consumer.consumerId, deletedOpen!.id)
  await buildAll({ runAgeMs: anHourMs })

  expect(await listRuns()).toMatchObject([{ state: 'CLOSED', documents: 0 }])
})

test('deletions that race with gathering and release leave no deleted letter in a run', async () => {
  await insertProvider()
  const printJobs = await addPending(...Array.from({ length: 100 }, () => ({})))

  const [, ...outcomes] = await Promise.all([
    buildAll({ runAgeMs: 0, documentsMax: 20 }),
    ...printJobs
      .filter((_, index) => index % 2 === 0)
      .map(({ id }) => deletePrintJob(database.db, consumer.consumerId, id)),
  ])
  await buildAll({ runAgeMs: 0 })

  expect(new Set(outcomes)).toEqual(new Set(['deleted']))
  const { rows } = await database.pool.query(
    'select print_job_key as key from print_run_document where removed_at is null order by 1',
  )
  const kept = printJobs.filter((_, index) => index % 2 === 1).map(({ key }) => key)
  expect(rows.map(({ key }) => key)).toEqual(kept.toSorted())
})
