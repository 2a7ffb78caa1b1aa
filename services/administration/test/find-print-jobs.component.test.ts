import { randomUUID } from 'node:crypto'
import { createSearchHasher } from '@despatch/access/search-terms'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aDatabase } from '@despatch/testing/a-database'
import {
  aKeyAt,
  aSubmission,
  insertConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import { readWhileMonthsDrop } from '@despatch/testing/read-while-months-drop'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { countFound } from '../src/operations/count-print-jobs.ts'
import { findPrintJobs, type PrintJobFind } from '../src/print-job/find-print-jobs.ts'
import { createSearchTermsWalk } from '../src/print-job/write-search-terms.ts'

const database = await shared(aDatabase())
const consumer = await insertConsumer(database.db)
const hasher = createSearchHasher('ab'.repeat(32))

const beginningOf = (index: number) => (0x00100000 * (index >> 1)).toString(16).padStart(8, '0')

type Given = {
  recipientName?: string
  postcode?: string
  reference?: string
  correlationId?: string
  /** As it is saved while the key of the terms cannot be opened. */
  isWithoutTerms?: boolean
}

/** Saves letters whose keys are in the order of the arguments, newest first, and returns the keys. */
async function save(...letters: Given[]): Promise<string[]> {
  // two by two in one period
  const keys = letters.map((_, index) => `${beginningOf(index)}${randomUUID().slice(8)}`).toSorted()
  const submissions = letters.map(({ correlationId = randomUUID(), ...given }, index) => {
    const { recipientName = 'Nobody', postcode = 'ZZ1 1ZZ', reference = randomUUID() } = given
    const standardParams = {
      ...someStandardParams,
      businessIdentifier: reference,
      recipientName,
      address: { unstructuredAddress: { line1: 'A', postcode } },
    }
    const key = keys.at(-1 - index)!
    const letter = {
      key,
      correlationId,
      businessIdentifier: reference,
      addressees: [standardParams],
    }
    const searchTerms = given.isWithoutTerms ? null : hasher.termsOf(letter)
    return aSubmission(consumer, { key, correlationId, standardParams, searchTerms })
  })
  await saveSubmissions(database.pool, submissions)
  return keys.toReversed()
}

/** Returns the keys on each page, up to the last page. */
async function pagesOf(search: Omit<PrintJobFind, 'before'>): Promise<string[][]> {
  const pages: string[][] = []
  let before: string | undefined
  do {
    const page = await findPrintJobs(database.db, hasher, { ...search, before })
    pages.push(page.printJobs.map(({ key }) => key))
    before = page.nextBefore
  } while (before !== undefined && pages.length < 10)
  return pages
}

const found = async (find: string) => (await pagesOf({ find, jobsMax: 50 })).flat()

test('finds a letter by reference, correlation id, postcode, name, several words, and a name with a postcode', async () => {
  const reference = `Case-${randomUUID()}`
  const correlationId = `trace-${randomUUID()}`
  const [quill, other] = await save(
    { recipientName: 'Ms Xanthé O’Quill', postcode: 'ze10aa', reference, correlationId },
    { recipientName: 'Xanthe Other', postcode: 'ZE1 0AB' },
  )

  for (const find of [
    ...[reference, reference.toUpperCase(), correlationId, 'ZE1 0AA', 'ze10aa'],
    ...["o'quill", 'OQuill', 'Ms O’QUILL', 'xanthe ze1 0aa'],
  ]) {
    expect([find, await found(find)]).toEqual([find, [quill]])
  }
  expect(await found('XANTHE')).toEqual([quill, other])
  expect(await found('other xanthe')).toEqual([other])
  for (const near of [
    'xanth',
    'quill',
    correlationId.toUpperCase(),
    'ZE1',
    'xanthe ze1 0ac',
    'other oquill',
  ]) {
    expect([near, await found(near)]).toEqual([near, []])
  }
})

test('a search for an existing id finds only the print job with that id', async () => {
  const id = `id-${randomUUID()}`
  const [named] = await save({}, { reference: id })
  await database.pool.query('update print_job set id = $2 where key = $1', [named, id])

  expect(await found(id)).toEqual([named])
})

test('filters never add letters that only have the id as a word', async () => {
  const id = `id-${randomUUID()}`
  const [named] = await save({}, { reference: id })
  await database.pool.query('update print_job set id = $2 where key = $1', [named, id])
  const search = { find: id, jobsMax: 1 }

  expect(await pagesOf(search)).toEqual([[named], []])
  expect(await pagesOf({ ...search, says: sql`job.status = 'REJECTED'` })).toEqual([[]])
  const { consumerId } = await insertConsumer(database.db)
  expect(await pagesOf({ ...search, consumerId })).toEqual([[]])
})

test('lists matches page by page, newest first, for any matching words', async () => {
  const word = `w${randomUUID().replaceAll('-', '')}`
  const keys = await save(
    { recipientName: word },
    { reference: word },
    { correlationId: word },
    { recipientName: `A ${word}` },
    { reference: word, recipientName: word },
  )

  expect(await pagesOf({ find: word, jobsMax: 2 })).toEqual([
    keys.slice(0, 2),
    keys.slice(2, 4),
    keys.slice(4),
  ])
  expect(await pagesOf({ find: word, jobsMax: 10, says: sql`job.status = 'REJECTED'` })).toEqual([
    [],
  ])
  expect(await pagesOf({ find: word, jobsMax: 10, consumerId: consumer.consumerId })).toEqual([
    keys,
  ])
})

test('a search for two common words finds the newest letters that have both', async () => {
  const [one, two] = [randomUUID(), randomUUID()].map((id) => `n${id.replaceAll('-', '')}`)
  const letters = Array.from({ length: 60 }, (_, index) => ({
    recipientName: [index % 2 === 0 ? one : '', index % 3 === 0 ? two : '', 'x'].join(' '),
  }))
  const keys = await save(...letters)

  expect(await pagesOf({ find: `${one} ${two}`, jobsMax: 4 })).toEqual([
    [0, 6, 12, 18].map((index) => keys[index]),
    [24, 30, 36, 42].map((index) => keys[index]),
    [48, 54].map((index) => keys[index]),
  ])
})

test('a search for two common words that rarely meet reads further letters', async () => {
  const [one, two] = [randomUUID(), randomUUID()].map((id) => `n${id.replaceAll('-', '')}`)
  const both = [0, 1_100]
  const letters = Array.from({ length: 1_200 }, (_, index) => ({
    recipientName: both.includes(index) ? `${one} ${two}` : [one, two][index % 2]!,
  }))
  const keys = await save(...letters)
  const search = { find: `${one} ${two}` }

  expect(await pagesOf({ ...search, jobsMax: 1 })).toEqual([[keys[0]], [keys[1_100]], []])
  expect(await pagesOf({ ...search, jobsMax: 3 })).toEqual([[keys[0], keys[1_100]]])
})

test('a letter whose purge has begun is found only by its correlation id', async () => {
  const correlationId = randomUUID()
  const reference = randomUUID()
  const [key] = await save({ recipientName: 'Ariadne Purged', reference, correlationId })
  await database.pool.query('update print_job set purge_began_at = now() where key = $1', [key])

  expect(await found(reference)).toEqual([])
  expect(await found('ariadne')).toEqual([])
  expect(await found(correlationId)).toEqual([key])
})

test('no page repeats a letter if letters without terms are newer than others', async () => {
  const reference = randomUUID()
  const keys = await save(
    { reference, isWithoutTerms: true },
    { reference, isWithoutTerms: true },
    { reference },
  )

  expect(await pagesOf({ find: reference, jobsMax: 2 })).toEqual([keys.slice(0, 2), keys.slice(2)])
  await database.pool.query(`update print_job set search_terms = '{}' where search_terms is null`)
})

test('finds a letter without terms between letters with terms', async () => {
  const reference = randomUUID()
  const keys = await save({ reference }, { reference, isWithoutTerms: true }, { reference })

  expect(await pagesOf({ find: reference, jobsMax: 1 })).toEqual([...keys.map((key) => [key]), []])
  await database.pool.query(`update print_job set search_terms = '{}' where search_terms is null`)
})

test('finds a letter whose terms are written during the search', async () => {
  const reference = randomUUID()
  const [key] = await save({ reference, isWithoutTerms: true })
  const walk = createSearchTermsWalk({ db: database.db, hasherOf: async () => hasher })
  const writesAfterTermsAreRead = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if ('walked' in (result.rows[0] ?? {})) await walk()
      return result
    },
  })

  const { printJobs } = await findPrintJobs(writesAfterTermsAreRead, hasher, {
    find: reference,
    jobsMax: 10,
  })

  expect(printJobs.map((printJob) => printJob.key)).toEqual([key])
})

test('finds letters without terms afterwards by reference, correlation id and postcode, in steps', async () => {
  const reference = randomUUID()
  const correlationId = randomUUID()
  const keys = await save(
    { reference },
    { reference, isWithoutTerms: true },
    { isWithoutTerms: true },
    { correlationId, recipientName: 'Theodora Late', isWithoutTerms: true },
    { reference, isWithoutTerms: true },
  )
  const search = { find: reference, jobsMax: 2 }

  expect(await pagesOf(search)).toEqual([[keys[0], keys[1]], [keys[4]]])
  expect(await pagesOf({ ...search, lookedThroughMax: 2 })).toEqual([
    [keys[0], keys[1]],
    [keys[4]],
    [],
  ])
  expect(await found(correlationId)).toEqual([keys[3]])
  expect(await found('theodora')).toEqual([])
  const { isIndexing } = await findPrintJobs(database.db, hasher, { find: 'theodora', jobsMax: 1 })
  expect(isIndexing).toBe(true)
  expect(await countFound(database.db, hasher, { find: 'theodora' })).toEqual({
    count: 0,
    isAtLeast: true,
  })
  const withoutKey = await findPrintJobs(database.db, undefined, { find: reference, jobsMax: 9 })
  expect(withoutKey.printJobs.map(({ key }) => key)).toEqual([keys[0], keys[1], keys[4]])
  expect(withoutKey.isIndexing).toBe(true)
  await database.pool.query(`update print_job set search_terms = '{}' where search_terms is null`)
  const after = await findPrintJobs(database.db, hasher, { find: 'theodora', jobsMax: 1 })
  expect(after).toEqual({ printJobs: [], nextBefore: undefined, isIndexing: false })
  expect(await countFound(database.db, hasher, { find: reference })).toEqual({
    count: 1,
    isAtLeast: false,
  })
})

// Comes last, because the database has no month for further letters then.
test('finds a print job while the month of its search terms is dropped', async () => {
  const reference = randomUUID()
  const key = aKeyAt(new Date())
  const standardParams = { ...someStandardParams, businessIdentifier: reference }
  const letter = { key, correlationId: 'trace', businessIdentifier: reference, addressees: [] }
  const searchTerms = hasher.termsOf(letter)
  await saveSubmissions(database.pool, [
    aSubmission(consumer, { key, standardParams, searchTerms }),
  ])

  const keys = await readWhileMonthsDrop(database.pool, 'search_term', () => found(reference))

  expect(keys).toEqual([key])
})
