import { expect, test } from 'vitest'
import { makeSampleRecords, misspell } from './sample-records.ts'

test('the records are the same at each demonstration', () => {
  const [first, second] = [makeSampleRecords(), makeSampleRecords()]
  expect(second).toEqual(first)
  expect(
    first.files.map(({ kind, count, lines }) => [kind, count, lines.split('\n').length - 1]),
  ).toEqual([
    ['vehicle', 2_000, 2_000],
    ['driver', 2_000, 2_000],
  ])
})

test('the driver who is asked for has CPC and tachograph data, and a name that can be misheard', () => {
  const { driver, misspeltLastName } = makeSampleRecords()
  expect(driver.cpcs?.length).toBeGreaterThan(0)
  expect(driver.tachoCards?.length).toBeGreaterThan(0)
  expect(misspeltLastName).not.toBe(driver.driver.lastName)
})

test.each([
  ['Smith', 'Smyth'],
  ['Bennett', 'Bennet'],
  ['Collins', 'Colins'],
  ['Ford', undefined],
  ['Lloyd', undefined],
])('%s is heard and written as %s', (lastName, misspelt) => {
  expect(misspell(lastName)).toBe(misspelt)
})
