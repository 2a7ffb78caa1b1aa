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

const isRejected = sql`job.status = 'REJECTED'`
const writeAllTerms = () =>
  database.pool.query(`update print_job set search_terms = '{}' where search_terms is null`)

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
    ...['xanth', 'quill', correlationId.toUpperCase(), 'ZE1', 'xanthe ze1 0ac', 'other oquill'],
  ]) {
    expect([near, await found(near)]).toEqual([near, []])
  }
})

test('a search for an existing id finds only the print job with that id, with any filters', async () => {
  const id = `id-${randomUUID()}`
  const [named] = await save({}, { reference: id })
  await database.pool.query('update print_job set id = $2 where key = $1', [named, id])
  const search = { find: id, jobsMax: 1 }

  expect(await pagesOf(search)).toEqual([[named], []])
  expect(await pagesOf({ ...search, says: isRejected })).toEqual([[]])
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

  const { consumerId } = consumer
  const pages = [keys.slice(0, 2), keys.slice(2, 4), keys.slice(4)]
  expect(await pagesOf({ find: word, jobsMax: 2 })).toEqual(pages)
  expect(await pagesOf({ find: word, jobsMax: 10, says: isRejected })).toEqual([[]])
  expect(await pagesOf({ find: word, jobsMax: 10, consumerId })).toEqual([keys])
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

test.each([
  ['newer than those with terms', [true, true, false], 2],
  ['between those with terms', [false, true, false], 1],
])(
  'each letter is on one page if letters without terms are %s',
  async (_what, without, jobsMax) => {
    const reference = randomUUID()
    const keys = await save(...without.map((isWithoutTerms) => ({ reference, isWithoutTerms })))

    const pages = await pagesOf({ find: reference, jobsMax })

    expect(pages.flat()).toEqual(keys)
    expect(pages[0]).toEqual(keys.slice(0, jobsMax))
    await writeAllTerms()
  },
)

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
  const inSteps = await pagesOf({ ...search, lookedThroughMax: 2 })
  expect(inSteps).toEqual([[keys[0], keys[1]], [keys[4]], []])
  expect(await found(correlationId)).toEqual([keys[3]])
  expect(await found('theodora')).toEqual([])
  const { isIndexing } = await findPrintJobs(database.db, hasher, { find: 'theodora', jobsMax: 1 })
  expect(isIndexing).toBe(true)
  const count = (find: string) => countFound(database.db, hasher, { find })
  expect(await count('theodora')).toEqual({ count: 0, isAtLeast: true })
  const withoutKey = await findPrintJobs(database.db, undefined, { find: reference, jobsMax: 9 })
  expect(withoutKey.printJobs.map(({ key }) => key)).toEqual([keys[0], keys[1], keys[4]])
  expect(withoutKey.isIndexing).toBe(true)
  await writeAllTerms()
  const after = await findPrintJobs(database.db, hasher, { find: 'theodora', jobsMax: 1 })
  expect(after).toEqual({ printJobs: [], nextBefore: undefined, isIndexing: false })
  expect(await count(reference)).toEqual({ count: 1, isAtLeast: false })
})

// Comes last, because the database has no month for further letters then.
test('finds a print job while the month of its search terms is dropped', async () => {
  const word = randomUUID()
  const [key, correlationId] = [aKeyAt(new Date()), word]
  const letter = { key, correlationId, businessIdentifier: null, addressees: [] }
  const searchTerms = hasher.termsOf(letter)
  await saveSubmissions(database.pool, [aSubmission(consumer, { key, correlationId, searchTerms })])

  expect(await readWhileMonthsDrop(database.pool, 'search_term', () => found(word))).toEqual([key])
})
