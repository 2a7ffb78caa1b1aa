import { expect, test } from 'vitest'
import { isPostTown, isPostTownOf, townAreas } from './post-towns.ts'

test.each([
  ['ZE', 'Shetland'],
  ['AB', 'ABERDEEN'],
  ['RH', 'Haywards Heath'],
  ['CM', 'Bishop’s Stortford'],
  ['AL', 'St. Albans'],
  ['NE', 'Newcastle-upon-Tyne'],
  ['NE', 'Newcastle'],
  ['TN', 'Saint Leonards on Sea'],
  ['TW', 'London'],
])('%s has the post town %s', (area, name) => {
  expect(isPostTownOf(area, name)).toBe(true)
})

test.each([
  ['LS', 'Bath', true],
  ['LS', 'Lee', false],
  ['LS', 'London', true],
  ['ZZ', 'Weston', false],
])('%s does not have the post town %s; it is one elsewhere: %s', (area, name, isElsewhere) => {
  expect([isPostTownOf(area, name), isPostTown(name)]).toEqual([false, isElsewhere])
})

test('the areas are those of the map', () => {
  expect(townAreas).toHaveLength(124)
  expect(townAreas.every((area) => /^[A-Z]{1,2}$/.test(area))).toBe(true)
})
