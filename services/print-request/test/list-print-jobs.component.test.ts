import { randomUUID } from 'node:crypto'
import { searchHasherSource, searchKeyBox } from '@despatch/access/search-terms'
import { insertProvider } from '@despatch/store/access/consumers'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { aProblem } from '@despatch/testing/a-problem'
import { eventually } from '@despatch/testing/eventually'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { readWhileMonthsDrop } from '@despatch/testing/read-while-months-drop'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listOwnPrintJobs, type OwnSearch } from '../src/print-job/list-own-print-jobs.ts'
import {
  type Answer,
  aPrintRequest,
  aRequest,
  type SubmittedJob,
  type TestCaller,
} from './a-print-request.ts'

const service = await shared(aPrintRequest())
const { db, pool } = service.database
await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

const inTurn = <Result>(read: () => Promise<Result>) => read()

type Page = { printJobs: { id: string }[]; nextCursor?: string }

async function list(by: TestCaller, query = ''): Promise<Page> {
  const { status, body } = await by.call({ path: `jobs${query}` })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body as Page
}

const withReference = (businessIdentifier: string) => ({
  standardParams: { ...aRequest().standardParams, businessIdentifier },
})

const idsOf = async (by: TestCaller, reference: string) =>
  (await list(by, `?reference=${reference}`)).printJobs.map(({ id }) => id)

const change = (columns: string, { key }: SubmittedJob) =>
  pool.query(`update print_job set ${columns} where key = $1`, [key])

describe('GET /print/jobs', () => {
  test('200: lists the print jobs of the caller, newest first, with their status', async () => {
    const consumer = await service.aCaller()
    const reference = `Case-${randomUUID()}`
    const held = await service.aPrintJob(consumer, withReference(reference))
    await consumer.call({ method: 'POST', path: `jobs/${held.id}/hold` })
    const pending = await service.aPendingJob(consumer)
    await gatherAndRelease(db, { runAgeMs: 3_600_000, documentsMax: 100, jobsMax: 100 })
    await service.aPrintJob(await service.aCaller())

    const { printJobs } = await list(consumer)

    const instant = expect.stringMatching(/Z$/)
    const common = { jobType: 'LETTER', templateReference: 'LETTER', createdDate: instant }
    expect(printJobs).toEqual([
      {
        ...common,
        id: pending.id,
        status: 'PENDING',
        updatedDate: instant,
        batchNumber: expect.any(String),
      },
      {
        ...common,
        id: held.id,
        status: 'QUARANTINE',
        updatedDate: instant,
        businessIdentifier: reference,
        heldSince: instant,
      },
    ])
  })

  test('200: a print job has no reference from the start of its purge', async () => {
    const consumer = await service.aCaller()
    const reference = randomUUID()
    const job = await service.aPrintJob(consumer, withReference(reference))
    const reject = [[{ key: job.key }], 'reject', { actor: 'test' }] as const
    await db.transaction().execute((tx) => movePrintJobs(tx, ...reject))
    expect(await idsOf(consumer, reference)).toEqual([job.id])

    await change('purge_began_at = now()', job)

    const { printJobs } = await list(consumer)
    expect(printJobs).toMatchObject([{ id: job.id, status: 'REJECTED' }])
    expect(JSON.stringify(printJobs)).not.toContain(reference)
    expect(await idsOf(consumer, reference)).toEqual([])
  })

  test('200: a deleted print job is listed only with only=deleted', async () => {
    const consumer = await service.aCaller()
    const { id } = await service.aPendingJob(consumer)
    await consumer.call({ method: 'DELETE', path: `jobs/${id}` })

    expect(await list(consumer)).toEqual({ printJobs: [] })
    expect((await list(consumer, '?only=deleted')).printJobs).toMatchObject([
      { id, status: 'PENDING', deletedDate: expect.stringMatching(/Z$/) },
    ])
  })

  test('200: lists each of many print jobs once, page by page, during other submissions', async () => {
    const consumer = await service.aCaller()
    const ids: string[] = []
    for (let number = 0; number < 3; number += 1) ids.push((await service.aPrintJob(consumer)).id)

    const first = await list(consumer, '?limit=2')
    await service.aPrintJob(consumer)
    const second = await list(consumer, `?limit=2&cursor=${first.nextCursor}`)

    const listed = [first, second].flatMap(({ printJobs }) => printJobs.map(({ id }) => id))
    expect(listed).toEqual(ids.toReversed())
    expect(second).not.toHaveProperty('nextCursor')
  })

  test('a cursor does not reveal a key, and is valid only for its consumer', async () => {
    const [consumer, other] = [await service.aCaller(), await service.aCaller()]
    const { key } = await service.aPrintJob(consumer)

    const { nextCursor } = await list(consumer, '?limit=1')

    const bytes = Buffer.from(nextCursor!, 'base64url')
    const keyBytes = Buffer.from(key.replaceAll('-', ''), 'hex')
    expect(nextCursor).not.toContain(key)
    expect([bytes.includes(key), bytes.includes(keyBytes)]).toEqual([false, false])
    expect(await list(consumer, `?limit=1&cursor=${nextCursor}`)).toEqual({ printJobs: [] })
    expect(await other.call({ path: `jobs?cursor=${nextCursor}` })).toMatchObject(
      aProblem(400, { code: 'Pattern', title: 'cursor' }),
    )
  })

  test('the reference is not logged', async () => {
    const reference = randomUUID()
    await idsOf(await service.aCaller(), reference)

    expect(service.logged.join()).not.toContain(reference)
  })

  test.each([
    ['?reference=a%00b', 'Pattern', 'reference'],
    ['?statuss=PENDING', 'Unknown', 'statuss'],
    ['?consumerId=another', 'Unknown', 'consumerId'],
    [`?cursor=${randomUUID()}`, 'Pattern', 'cursor'],
  ])('400: %s', async (query, code, title) => {
    const caller = await service.aCaller()

    expect(await caller.call({ path: `jobs${query}` })).toMatchObject(
      aProblem(400, { code, title }),
    )
  })

  test('without the key of search terms, a reference still finds the print jobs', async () => {
    const consumer = await service.aCaller()
    const { id } = await service.aPrintJob(consumer, withReference('Lost-1'))
    await service.aPrintJob(consumer, withReference('Lost-2'))
    const search = { consumerId: consumer.consumerId, reference: 'LOST-1', jobsMax: 5 }

    const { printJobs } = await listOwnPrintJobs(
      { db, searchHasher: async () => undefined, inTurn },
      search,
    )

    expect(printJobs.map((job) => job.id)).toEqual([id])
  })
})

test('a page skips hundreds of print jobs of other consumers with the same reference', async () => {
  const consumer = await service.aCaller()
  const reference = randomUUID()
  const { id, key } = await service.aPrintJob(consumer, withReference(reference))
  await pool.query(
    `insert into search_term (term, print_job_key)
     select term, (left(print_job_key::text, 9) || 'ffff-7fff-8fff-' || lpad(to_hex(other), 12, '0'))::uuid
     from search_term, generate_series(1, 2000) other where print_job_key = $1`,
    [key],
  )
  const { consumerId } = consumer
  const searchHasher = searchHasherSource({ db, box: searchKeyBox(someKeys.DESPATCH_KEY_SEARCH) })

  const { printJobs } = await listOwnPrintJobs(
    { db, searchHasher, inTurn },
    { consumerId, reference, jobsMax: 5, limits: { few: 0 } },
  )

  expect(printJobs.map((job) => job.id)).toEqual([id])
})

describe('every query plan finds the same print jobs', () => {
  let consumer: TestCaller
  /** Their order is that of their submission. */
  const jobs: Record<string, SubmittedJob> = {}
  const reference = `Same-Reference-${randomUUID()}`
  const searchHasher = searchHasherSource({ db, box: searchKeyBox(someKeys.DESPATCH_KEY_SEARCH) })

  beforeAll(async () => {
    consumer = await service.aCaller()
    const other = await service.aCaller()
    const add = async (name: string, day: number, isPending = false) => {
      const submit = isPending ? service.aPendingJob : service.aPrintJob
      const job = await submit(consumer, withReference(`${reference}${name === 'other' ? 2 : ''}`))
      await service.aPrintJob(other, withReference(reference))
      // the key keeps the time of the submission, which is within the range of a day
      await change(`created_at = created_at + interval '${day} minutes'`, job)
      jobs[name] = job
    }
    await add('first', 1)
    await add('pending', 2, true)
    await add('deleted', 3, true)
    await add('held', 4)
    await add('unindexed', 5)
    await add('other', 6)
    await consumer.call({ method: 'DELETE', path: `jobs/${jobs.deleted!.id}` })
    await consumer.call({ method: 'POST', path: `jobs/${jobs.held!.id}/hold` })
    await change('search_terms = null', jobs.unindexed!)
    await pool.query('delete from search_term where print_job_key = $1', [jobs.unindexed!.key])
  })

  async function namesOf(search: Partial<OwnSearch>): Promise<string[]> {
    const names: string[] = []
    let before: string | undefined
    let pages = 0
    do {
      const { consumerId } = consumer
      const part = { consumerId, jobsMax: 2, ...search, before }
      const page = await listOwnPrintJobs({ db, searchHasher, inTurn }, part)
      names.push(
        ...page.printJobs.map(
          ({ key }) => Object.keys(jobs).find((name) => jobs[name]!.key === key) ?? 'alien',
        ),
      )
      before = page.nextBefore
      pages += 1
    } while (before !== undefined && pages < 200)
    expect(before).toBeUndefined()
    return names
  }

  const ways: [string, OwnSearch['limits']][] = [
    ['few', {}],
    ['an index', { few: 0 }],
    ['a scan', { few: 0, rare: 0, scanned: 3, withReference: [1, 3] }],
  ]
  const cases: [Partial<OwnSearch>, string[]][] = [
    [{}, ['other', 'unindexed', 'held', 'pending', 'first']],
    [{ status: 'QUARANTINE' }, ['other', 'unindexed', 'held', 'first']],
    [{ status: 'PENDING' }, ['pending']],
    [{ status: 'DESPATCHED' }, []],
    [{ reference: reference.toLowerCase() }, ['unindexed', 'held', 'pending', 'first']],
    [{ reference, status: 'PENDING' }, ['pending']],
    [{ reference, only: 'held' }, ['held']],
    [{ reference: reference.slice(1) }, []],
    [{ only: 'held' }, ['held']],
    [{ only: 'held', status: 'PENDING' }, []],
    [{ only: 'deleted' }, ['deleted']],
    [{ only: 'deleted', status: 'PENDING' }, ['deleted']],
  ]
  test.for(ways.flatMap(([way, limits]) => cases.map((one) => [way, limits, ...one] as const)))(
    '%s: %o %o',
    async ([, limits, search, names]) => {
      expect(await namesOf({ ...search, limits })).toEqual(names)
    },
  )

  test.each(ways)('%s: dates', async (_way, limits) => {
    const { rows } = await pool.query<{ at: Date }>(
      'select created_at as at from print_job where key = any ($1) order by created_at',
      [['pending', 'unindexed'].map((name) => jobs[name]!.key)],
    )
    const [createdFrom, createdTo] = rows.map(({ at }) => at)

    expect(await namesOf({ createdFrom, limits })).toEqual([
      ...['other', 'unindexed', 'held', 'pending'],
    ])
    expect(await namesOf({ createdTo, limits })).toEqual(['held', 'pending', 'first'])
    expect(await namesOf({ createdFrom, createdTo, limits })).toEqual(['held', 'pending'])
    expect(await namesOf({ createdFrom, createdTo, reference, limits })).toEqual([
      ...['held', 'pending'],
    ])
    expect(await namesOf({ createdFrom: createdTo, createdTo: createdFrom, limits })).toEqual([])
  })
})

test('503: a consumer with many print jobs requests too many lists at the same time', async () => {
  const consumer = await service.aCaller()
  const { key } = await service.aPrintJob(consumer)
  await pool.query(
    `insert into print_job select (jsonb_populate_record(job, jsonb_build_object(
       'key', 'f' || right(gen_random_uuid()::text, 35), 'id', 'many-' || number))).*
     from print_job job, generate_series(1, 2000) number where key = $1`,
    [key],
  )
  const locker = await pool.connect()
  onTestFinished(() => locker.release(true))
  await locker.query('begin')
  await locker.query('lock table search_term in access exclusive mode')
  const answers: Answer[] = []

  // two are read, eight wait
  const calls = Array.from({ length: 11 }, async () => {
    answers.push(await consumer.call({ path: 'jobs?limit=1' }))
  })

  await eventually(() => answers[0], { message: 'one list is refused' })
  expect(answers).toMatchObject([
    { ...aProblem(503, { code: 'ServiceUnavailable' }), headers: { 'retry-after': '2' } },
  ])
  await locker.query('rollback')
  await Promise.all(calls)
  expect(answers.slice(1).map(({ status }) => status)).toEqual(Array(10).fill(200))
})

// Comes last, because the database has no month for further letters then.
test('a print job is found while the month of its search terms is dropped', async () => {
  const consumer = await service.aCaller()
  const reference = randomUUID()
  const { id } = await service.aPrintJob(consumer, withReference(reference))
  const { consumerId } = consumer
  const search = { consumerId, reference, jobsMax: 5, limits: { few: 0 } }
  const searchHasher = searchHasherSource({ db, box: searchKeyBox(someKeys.DESPATCH_KEY_SEARCH) })

  const { printJobs } = await readWhileMonthsDrop(pool, 'search_term', () =>
    listOwnPrintJobs({ db, searchHasher, inTurn }, search),
  )

  expect(printJobs.map((job) => job.id)).toEqual([id])
})
