import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { beginResults, readResults } from './results-file.ts'

const directory = await mkdtemp(join(tmpdir(), 'despatch-results-'))
afterAll(() => rm(directory, { recursive: true }))

const key = 'f'.repeat(64)
const accepted = (row: number, why = '') => ({
  row,
  id: `csv-${'0'.repeat(12)}-${row}-${'a'.repeat(12)}`,
  status: 'accepted' as const,
  why,
})

test('the letters that were submitted are read back, and refusals of an earlier run are left out', async () => {
  const path = join(directory, 'read-back.csv')
  const replaced = { ...accepted(3), status: 'replaced' as const }

  const first = await beginResults(path, key, { mailing: undefined, submitted: [replaced] })
  await Promise.all([
    first.add(accepted(2, 'submitted before')),
    first.add({ ...accepted(4), status: 'refused', why: 'line one,\nline "two"' }),
  ])
  const written = await readFile(path, 'utf8')
  await first.close()
  const read = await readResults(path)
  await (await beginResults(path, 'another', read)).close()

  expect(written.split('\n').at(-2)).toBe(`4,${accepted(4).id},refused,"line one, line ""two"""`)
  expect(read).toEqual({
    mailing: undefined,
    submitted: [accepted(2, 'submitted before'), replaced],
    accepted: [{ row: 2, digest: 'a'.repeat(12) }],
  })
  expect(await readFile(path, 'utf8')).not.toContain('refused')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('part of a line, which a killed run left, is ignored', async () => {
  const path = join(directory, 'torn.csv')
  const file = await beginResults(path, key, { mailing: undefined, submitted: [accepted(2)] })
  await file.close()
  await appendFile(path, `3,${accepted(3).id},acc`)

  expect((await readResults(path)).submitted).toEqual([accepted(2)])
})

test('a mailing begins with its first letter, and is cut off until all letters have results', async () => {
  const path = join(directory, 'begun.csv')
  const mailingNow = async () => (await readResults(path)).mailing
  const first = await beginResults(path, key, { mailing: undefined, submitted: [] })

  const checked = await mailingNow()
  await first.beginSending('file')
  const begun = await mailingNow()
  await first.close()
  const second = await beginResults(path, 'another', { mailing: begun, submitted: [] })
  const checkedAgain = await mailingNow()
  await second.beginSending('file')
  await second.endSending()
  const ended = await mailingNow()
  await second.close()
  await (await beginResults(path, 'another', { mailing: ended, submitted: [] })).close()

  expect(checked).toBeUndefined()
  expect([begun, checkedAgain]).toEqual([
    { key, cutOffSha256: 'file' },
    { key, cutOffSha256: 'file' },
  ])
  expect([ended, await mailingNow()]).toEqual([
    { key, cutOffSha256: undefined },
    { key, cutOffSha256: undefined },
  ])
})

test('without a file there was no run', async () => {
  expect(await readResults(join(directory, 'none.csv'))).toEqual({
    mailing: undefined,
    submitted: [],
    accepted: [],
  })
})

test.each([
  'name,line1\nA,1\n',
  '"\n',
  `row,id,status,why\n`,
  `row,id,status,why\n0,${key},begun,\n2,x,accepted,\n`,
])('another file is not taken for results: %j', async (text) => {
  const path = join(directory, 'other.csv')
  await writeFile(path, text)

  await expect(readResults(path)).rejects.toThrow(/is not a file of results/)
})
