import { searchHasherSource, searchKeyBox } from '@despatch/access/search-terms'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { expect, onTestFinished, test } from 'vitest'
import { aPrintRequest } from './a-print-request.ts'

const service = await shared(aPrintRequest())

test('operators find a letter once it is accepted', async () => {
  const { db, pool } = service.database
  const { key } = await service.aPrintJob(await service.aCaller())
  const { rows } = await pool.query(
    `select correlation_id as "correlationId", standard_params as "standardParams",
       array (select term::text from search_term where print_job_key = key) as terms,
       search_terms::text[] as "personalTerms"
     from print_job where key = $1`,
    [key],
  )
  const { correlationId, standardParams, terms, personalTerms } = rows[0]

  const hasher = await searchHasherSource({ db, box: searchKeyBox(someKeys.DESPATCH_KEY_SEARCH) })()
  const { businessIdentifier } = standardParams
  const addressees = [standardParams]
  const letter = { key, correlationId, businessIdentifier, addressees }
  const { lasting, personal } = hasher!.termsOf(letter)
  expect(terms.toSorted()).toEqual([lasting, ...personal].toSorted())
  expect(personalTerms.toSorted()).toEqual(personal.toSorted())
  expect(personal.length).toBeGreaterThan(2)
})

test('without the key of search terms, letters are accepted and the terms written later', async () => {
  const other = await aPrintRequest()
  onTestFinished(other.close)
  const lost = searchKeyBox('cd'.repeat(32)).seal('ef'.repeat(32))
  await other.database.pool.query('insert into search_key values (1, $1)', [lost])
  const { key } = await other.aPrintJob(await other.aCaller())

  const { rows } = await other.database.pool.query(
    `select search_terms, exists (select from search_term) as any from print_job where key = $1`,
    [key],
  )
  expect(rows).toEqual([{ search_terms: null, any: false }])
})
