import { searchHasherSource, searchKeyBox } from '@despatch/access/search-terms'
import { aDatabase } from '@despatch/testing/a-database'
import { expect, onTestFinished, test } from 'vitest'

const [oldKey, newKey, lostKey] = ['a1', 'b2', 'c3'].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string,
]

async function aSource() {
  const { db, close } = await aDatabase()
  onTestFinished(close)
  const source = (secretKey: string, previousKeys: string[] = [], now = () => 0) =>
    searchHasherSource({ db, box: searchKeyBox(secretKey, previousKeys), now })
  return { db, source }
}

test('processes that start together share one search key, which survives a change of the secret key', async () => {
  const { source } = await aSource()
  const processes = Array.from({ length: 4 }, () => source(oldKey))

  const hashers = await Promise.all(processes.map((hasherOf) => hasherOf()))
  const afterwards = await source(newKey, [oldKey])()

  const terms = [...hashers, afterwards].map((hasher) => hasher!.meaningsOf('smith'))
  expect(terms).toEqual(terms.map(() => terms[0]))
})

test('a key that cannot be unsealed is read again after ten seconds', async () => {
  const { db, source } = await aSource()
  await source(oldKey)()
  let nowMs = 0
  const hasherOf = source(lostKey, [], () => nowMs)
  expect(await hasherOf()).toBeUndefined()

  await db.deleteFrom('search_key').execute()
  await source(lostKey)()
  nowMs = 9_999
  expect(await hasherOf()).toBeUndefined()
  nowMs = 10_000
  expect(await hasherOf()).toBeDefined()
})
