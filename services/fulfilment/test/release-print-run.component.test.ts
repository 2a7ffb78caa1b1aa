import { fulfilmentJobDocumentsMax } from '@despatch/domain/print-run/numbering'
import { insertProvider } from '@despatch/store/access/consumers'
import { holdPrintJob } from '@despatch/store/print-job/hold'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { requestRelease } from '@despatch/store/print-run/details'
import { gatherPrintRuns } from '@despatch/store/print-run/gather'
import { listManifestDocuments } from '@despatch/store/print-run/manifest'
import { reassignDocuments } from '@despatch/store/print-run/reassign'
import { releasePrintRun } from '@despatch/store/print-run/release'
import { noteReleaseFault, takeRelease } from '@despatch/store/print-run/take-release'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { aSubmission } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { listRuns } from '../src/operations/list-print-runs.ts'

const limits = { runAgeMs: 0, documentsMax: 10_000, jobsMax: 10_000 }
const taking = { leaseSeconds: 60 }
/** After this many failures a page has a hundred documents. */
const smallPages = 5

const { url } = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(url))
await insertProvider(runs.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

const gather = ({ runAgeMs = 0 } = {}) =>
  runs.db.transaction().execute((tx) => gatherPrintRuns(tx, { ...limits, runAgeMs }))

/** Saves PENDING print jobs that are in no run. */
async function someJobs(letters: number) {
  const submissions = Array.from({ length: letters }, () => aSubmission(runs.consumer))
  await saveSubmissions(runs.pool, submissions)
  await runs.accept(submissions.map(({ key }) => key))
  return { keys: submissions.map(({ key }) => key), ids: submissions.map(({ id }) => id) }
}

/** Creates a run that is due and has no numbers yet. */
async function aDueRun(letters: number) {
  const jobs = await someJobs(letters)
  const { due } = await gather()
  expect(due).toEqual([expect.any(String)])
  return { ...jobs, batchNumber: due[0]! }
}

/** Numbers the given number of pages, or all the rest, and returns the outcome. */
const release = (batchNumber: string, { pages = Number.POSITIVE_INFINITY } = {}) =>
  releasePrintRun(
    runs.db,
    { batchNumber, failures: smallPages },
    { ...taking, msMax: pages === 1 ? 0 : 60_000 },
  )

async function offered(batchNumber: string) {
  const all = await listRuns(runs.db, { providerId: 'north', runsMax: 1_000 })
  return all.find((run) => run.batchNumber === batchNumber)
}

async function claimedDocuments(batchNumber: string) {
  await runs.claim('north', batchNumber)
  return listManifestDocuments(runs.db, batchNumber, { after: 0, documentsMax: 10_000 })
}

describe('a release in pages', () => {
  test('a run is offered and claimed only after its last page', async () => {
    const { batchNumber } = await aDueRun(250)

    const first = await release(batchNumber, { pages: 1 })
    const offeredBetween = await offered(batchNumber)
    const claimedBetween = await runs.claim('north', batchNumber)
    const last = await release(batchNumber)

    expect([first, last]).toEqual(['unfinished', 'released'])
    expect(offeredBetween).toBeUndefined()
    expect(claimedBetween).toEqual({ kind: 'absent' })
    expect(await offered(batchNumber)).toMatchObject({
      state: 'RELEASED',
      manifestVersion: 1,
      documentCount: 250,
      sheetCount: 250,
      pageCount: 500,
      byteCount: 2_500,
    })
    const documents = await claimedDocuments(batchNumber)
    expect(documents.map(({ sequence }) => sequence)).toEqual(upTo(250))
    expect(new Set(documents.map(({ fulfilmentJobId }) => fulfilmentJobId))).toEqual(
      new Set([`${batchNumber}-001`]),
    )
  })

  test('pages of any size fill fulfilment jobs of 2,500 documents', async () => {
    const { batchNumber } = await aDueRun(fulfilmentJobDocumentsMax + 130)

    await release(batchNumber)

    const { rows } = await runs.pool.query(
      `select right(fulfilment_job_id, 4) as job, count(*) as documents from print_run_document
       where batch_number = $1 group by 1 order by 1`,
      [batchNumber],
    )
    expect(rows).toEqual([
      { job: '-001', documents: fulfilmentJobDocumentsMax },
      { job: '-002', documents: 130 },
    ])
  })

  test('letters that arrive in the meantime are gathered into another run of the stream', async () => {
    const { batchNumber } = await aDueRun(150)
    await release(batchNumber, { pages: 1 })

    const later = await aDueRun(1)

    expect(later.batchNumber).not.toBe(batchNumber)
    expect(await release(batchNumber)).toBe('released')
    expect(await offered(batchNumber)).toMatchObject({ documentCount: 150 })
    expect(await release(later.batchNumber)).toBe('released')
  })
})

describe('a letter that is deleted', () => {
  test('before the release is in no list and leaves no gap in the numbers', async () => {
    const { batchNumber, ids } = await aDueRun(150)
    await runs.deleteJob(ids[40]!)

    await release(batchNumber)

    expect(await offered(batchNumber)).toMatchObject({ manifestVersion: 1, documentCount: 149 })
    await expectAgreement(batchNumber, { sequences: upTo(149), manifestVersion: 1 })
  })

  test('between pages, before its own page, is in no list and leaves no gap', async () => {
    const { batchNumber, ids, keys } = await aDueRun(250)
    await release(batchNumber, { pages: 1 })
    const late = await unnumberedOf(batchNumber)
    await runs.deleteJob(ids[keys.indexOf(late.deleted)]!)
    await runs.db
      .transaction()
      .execute((tx) => holdPrintJob(tx, { key: late.held }, { actor: 'operator', reason: 'wait' }))

    await release(batchNumber)

    expect(await offered(batchNumber)).toMatchObject({ manifestVersion: 1, documentCount: 248 })
    await expectAgreement(batchNumber, { sequences: upTo(248), manifestVersion: 1 })
  })

  test('after its page counts as withdrawn, and its number is not reused', async () => {
    const { batchNumber, ids, keys } = await aDueRun(250)
    await release(batchNumber, { pages: 1 })
    const { rows } = await runs.pool.query(
      'select print_job_key as key from print_run_document where batch_number = $1 and sequence = 7',
      [batchNumber],
    )
    await runs.deleteJob(ids[keys.indexOf(rows[0].key)]!)

    await release(batchNumber)

    expect(await offered(batchNumber)).toMatchObject({
      manifestVersion: 2,
      documentCount: 249,
      sheetCount: 249,
      pageCount: 498,
      byteCount: 2_490,
    })
    await expectAgreement(batchNumber, {
      sequences: upTo(250).filter((sequence) => sequence !== 7),
      manifestVersion: 2,
    })
  })

  test('with all others closes the run instead of releasing it', async () => {
    const { batchNumber, ids } = await aDueRun(120)
    await release(batchNumber, { pages: 1 })
    for (const id of ids) await runs.deleteJob(id)

    expect(await release(batchNumber)).toBe('empty')
    expect(await stateOf(batchNumber)).toBe('CLOSED')
  })
})

test('a run that cannot be released waits, with the reason, and then goes on', async () => {
  const { batchNumber } = await aDueRun(2)
  expect(await takeRelease(runs.db, taking)).toEqual({ batchNumber, failures: 0 })

  await noteReleaseFault(runs.db, { batchNumber, failures: 0 }, '57014')

  const { rows } = await runs.pool.query(
    `select release_failures as failures, release_fault as fault,
       extract(epoch from release_retry_at - release_tried_at)::integer as seconds
     from print_run where batch_number = $1`,
    [batchNumber],
  )
  expect(rows).toEqual([{ failures: 1, fault: '57014', seconds: 10 }])
  await runs.pool.query('update print_run set release_retry_at = now() where batch_number = $1', [
    batchNumber,
  ])
  expect(await takeRelease(runs.db, taking)).toEqual({ batchNumber, failures: 1 })
  expect(await release(batchNumber)).toBe('released')
})

test('operators do not wait for a pass when they request a release or reassign a run', async () => {
  await runs.pool.query(
    `insert into print_site (provider_id, print_location, capabilities, share)
       select provider_id, 'ELSEWHERE', capabilities, 0 from print_site where provider_id = 'north' limit 1`,
  )
  const { batchNumber } = await aDueRun(150)
  await release(batchNumber, { pages: 1 })
  const moved = await runs.db.transaction().execute(async (pass) => {
    // a gathering pass is in progress and does not end
    await gatherPrintRuns(pass, limits)
    await runs.db.transaction().execute((tx) => requestRelease(tx, batchNumber, 'operator'))
    return runs.db.transaction().execute((tx) =>
      reassignDocuments(tx, {
        batchNumber,
        providerId: 'north',
        printLocation: 'ELSEWHERE',
        reason: 'fire',
        nothingPrinted: false,
        actor: 'operator',
      }),
    )
  })

  expect(moved).toMatchObject({ kind: 'moved', run: { documentCount: 150 } })
  expect(await release(batchNumber)).toBe('gone')
  if (moved.kind !== 'moved') return
  await expectAgreement(moved.run.batchNumber, { sequences: upTo(150), manifestVersion: 1 })
})

test('letters wait while an operator has locked the run that gathers them', async () => {
  const { keys } = await someJobs(1)
  await gather({ runAgeMs: 3_600_000 })
  const { rows } = await runs.pool.query('select batch_number from print_job where key = $1', keys)
  const batchNumber = rows[0].batch_number
  await someJobs(1)
  await runs.db.transaction().execute(async (tx) => {
    await requestRelease(tx, batchNumber, 'operator')
    expect(await gather({ runAgeMs: 3_600_000 })).toMatchObject({ gathered: 0, due: [] })
  })

  expect(await gather({ runAgeMs: 3_600_000 })).toMatchObject({ gathered: 1, due: [batchNumber] })
  expect(await release(batchNumber)).toBe('released')
})

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** Checks that the sequences of a claimed run, its withdrawn documents, its version and its totals agree. */
async function expectAgreement(
  batchNumber: string,
  { sequences, manifestVersion }: { sequences: number[]; manifestVersion: number },
) {
  const documents = await claimedDocuments(batchNumber)
  expect(documents.map(({ sequence }) => sequence)).toEqual(sequences)
  const { rows } = await runs.pool.query(
    `select manifest_version as "manifestVersion", document_count as documents, sheet_count as sheets,
       (select count(*) from print_run_document document
         where document.batch_number = run.batch_number and removed_at is not null and sequence is not null) as withdrawn
     from print_run run where batch_number = $1`,
    [batchNumber],
  )
  expect(rows).toEqual([
    {
      manifestVersion,
      documents: sequences.length,
      sheets: sequences.length,
      withdrawn: manifestVersion - 1,
    },
  ])
}

async function unnumberedOf(batchNumber: string) {
  const { rows } = await runs.pool.query<{ key: string }>(
    `select print_job_key as key from print_run_document
     where batch_number = $1 and sequence is null order by document_id`,
    [batchNumber],
  )
  return { deleted: rows[3]!.key, held: rows.at(-1)!.key }
}

async function stateOf(batchNumber: string): Promise<string> {
  const { rows } = await runs.pool.query('select state from print_run where batch_number = $1', [
    batchNumber,
  ])
  return rows[0].state
}
