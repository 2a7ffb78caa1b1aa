import { randomUUID } from 'node:crypto'
import { createSearchHasher } from '@despatch/access/search-terms'
import type { Addressee } from '@despatch/domain/address/addressee'
import { purgeRows } from '@despatch/store/print-job/purge-rows'
import { type Submission, saveSubmissions } from '@despatch/store/print-job/submissions'
import { aDatabase } from '@despatch/testing/a-database'
import { countQueries } from '@despatch/testing/count-queries'
import { eventually } from '@despatch/testing/eventually'
import {
  aSubmission,
  insertConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import { expect, onTestFinished, test } from 'vitest'
import { createSearchTermsWalk } from '../src/print-job/write-search-terms.ts'

const hasher = createSearchHasher('ab'.repeat(32))
const override = {
  recipientName: 'Ms A Newname',
  address: { unstructuredAddress: { line1: '2 Quarry Lane', postcode: 'ZE2 9XX' } },
}

const termsOfLetter = (
  { key, correlationId }: Pick<Submission, 'key' | 'correlationId'>,
  addressees: readonly Addressee[] = [someStandardParams],
) => hasher.termsOf({ key, correlationId, businessIdentifier: null, addressees })

/** What the index has of a letter, and what its purge will delete. */
const expected = (letter: Submission, addressees?: readonly Addressee[]) => {
  const { lasting, personal } = termsOfLetter(letter, addressees)
  return { indexed: [...personal, lasting].toSorted(), personal: personal.toSorted() }
}
const onlyCorrelation = (letter: Submission) => ({
  indexed: [termsOfLetter(letter).lasting],
  personal: [],
})

async function someLetters() {
  const database = await aDatabase({ connectionsMax: 4 })
  onTestFinished(database.close)
  const { db, pool } = database
  const consumer = await insertConsumer(db)
  /** Saves letters, with the search terms that they are given: none while the key cannot be opened. */
  const save = async (count: number, searchTerms: 'with terms' | 'without terms') => {
    const submissions = Array.from({ length: count }, () => {
      const ids = { key: randomUUID(), correlationId: randomUUID() }
      const terms = searchTerms === 'with terms' ? termsOfLetter(ids) : null
      return aSubmission(consumer, { ...ids, searchTerms: terms })
    })
    await saveSubmissions(pool, submissions)
    return submissions
  }
  const walk = () => createSearchTermsWalk({ db, hasherOf: async () => hasher })
  const countWithoutTerms = async () => {
    const { rows } = await pool.query<{ count: number }>(
      'select count(*) as count from print_job where search_terms is null',
    )
    return rows[0]!.count
  }
  /** Returns the terms of a print job: those in the index, and those that its purge will delete. */
  const termsOf = async (key: string) => {
    const { rows } = await pool.query<{ indexed: string[]; personal: string[] | null }>(
      `select coalesce((select array_agg(term::text) from search_term where print_job_key = key), '{}') as indexed,
         search_terms::text[] as personal
       from print_job where key = $1`,
      [key],
    )
    const { indexed, personal } = rows[0]!
    return { indexed: indexed.toSorted(), personal: personal?.toSorted() ?? null }
  }
  return { db, pool, save, walk, countWithoutTerms, termsOf }
}

test('a submitted letter has its search terms once it is saved', async () => {
  const { save, termsOf } = await someLetters()

  const [letter] = await save(1, 'with terms')

  expect(await termsOf(letter!.key)).toEqual(expected(letter!))
})

test('two processes write the terms of all letters without terms, in batches, including later letters', async () => {
  const { save, walk, countWithoutTerms, termsOf } = await someLetters()
  const letters = await save(1_200, 'without terms')
  const [one, other] = [walk(), walk()]

  await Promise.all([one(), other()])
  expect(await countWithoutTerms()).toBe(200)
  // the process that reaches the oldest letters begins again, and so finds those that another had locked
  for (let pass = 0; pass < 2; pass++) await Promise.all([one(), other()])
  expect(await countWithoutTerms()).toBe(0)
  const [later] = await save(1, 'without terms')
  for (let pass = 0; pass < 2; pass++) await one()

  for (const letter of [letters[0]!, letters[700]!, letters[1_199]!, later!]) {
    expect(await termsOf(letter.key)).toEqual(expected(letter))
  }
})

test('a pass asks in one statement while all letters have their terms', async () => {
  const { save, walk } = await someLetters()
  await save(1, 'with terms')
  const pass = walk()
  const queries = countQueries()

  expect(await pass()).toBe('idle')

  expect(queries.count()).toBe(1)
})

test('a process that dies in a batch writes nothing, and the next process writes the batch', async () => {
  const { db, save, walk, termsOf } = await someLetters()
  const [letter] = await save(1, 'without terms')
  const dying = createSearchTermsWalk({
    db,
    hasherOf: async () => ({ ...hasher, termsOf: () => ({ lasting: 'none', personal: [] }) }),
  })

  await expect(dying()).rejects.toThrow('bigint')
  expect(await termsOf(letter!.key)).toEqual({ indexed: [], personal: null })
  await walk()()

  expect(await termsOf(letter!.key)).toEqual(expected(letter!))
})

test('a letter whose address any release corrects gets the terms of both addresses', async () => {
  const { pool, save, walk, termsOf } = await someLetters()
  const [letter] = await save(1, 'with terms')
  const { key } = letter!
  const correct = (recipientName: string) =>
    pool.query('update print_job set address_override = $2 where key = $1', [
      key,
      { ...override, recipientName },
    ])

  await correct('Somebody Else')
  await walk()()
  await correct(override.recipientName)

  expect((await termsOf(key)).personal).toBeNull()
  await walk()()
  expect(await termsOf(key)).toEqual(expected(letter!, [someStandardParams, override]))
})

test('an address that is corrected while terms are written gets its terms in the next pass', async () => {
  const { db, pool, save, walk, termsOf } = await someLetters()
  const [letter] = await save(1, 'without terms')
  const { key } = letter!

  let corrected: Promise<unknown> | undefined
  await db.transaction().execute(async (tx) => {
    await createSearchTermsWalk({ db: tx, hasherOf: async () => hasher })()
    corrected = pool.query('update print_job set address_override = $2 where key = $1', [
      key,
      override,
    ])
    await eventually(
      async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
        return rows.length === 1
      },
      { message: 'the correction waits for the row' },
    )
  })
  await corrected
  await walk()()

  expect(await termsOf(key)).toEqual(expected(letter!, [someStandardParams, override]))
})

test.each(['with terms', 'without terms'] as const)(
  'a purged letter keeps only the term of its correlation id, if it was saved %s',
  async (how) => {
    const { db, pool, save, walk, termsOf } = await someLetters()
    const [letter, kept] = await save(2, how)
    const { key } = letter!
    await pool.query(
      `update print_job set address_override = $2, purge_began_at = now() where key = $1`,
      [key, override],
    )
    if (how === 'with terms') await walk()()

    await purgeRows(db, [key], { now: new Date() })
    await walk()()

    expect(await termsOf(key)).toEqual(onlyCorrelation(letter!))
    expect((await termsOf(kept!.key)).personal).toHaveLength(3)
  },
)

test('personal terms that are written during a purge are removed with it', async () => {
  const { db, pool, save, walk, termsOf } = await someLetters()
  const [letter] = await save(1, 'without terms')
  const { key } = letter!
  await walk()()
  await pool.query('update print_job set purge_began_at = now() where key = $1', [key])
  expect((await termsOf(key)).indexed).toHaveLength(4)

  await purgeRows(db, [key], { now: new Date() })

  expect(await termsOf(key)).toEqual(onlyCorrelation(letter!))
})

test('without a key no terms are written', async () => {
  const { db, save, countWithoutTerms } = await someLetters()
  await save(1, 'without terms')

  await createSearchTermsWalk({ db, hasherOf: async () => undefined })()

  expect(await countWithoutTerms()).toBe(1)
})
