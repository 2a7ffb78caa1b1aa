import { expect, test } from 'vitest'
import { isPostTownOf, townAreas } from './post-towns.ts'

test.each([
  ['ZE', 'Shetland'],
  ['AB', 'ABERDEEN'],
  ['RH', 'Haywards Heath'],
  ['CM', 'Bishop’s Stortford'],
  ['AL', 'St. Albans'],
  ['NE', 'Newcastle-upon-Tyne'],
  ['NE', 'Newcastle'],
  ['TN', 'Saint Leonards on Sea'],
  ['IP', 'Bury Saint Edmunds'],
  ['ST', 'Stoke - on - Trent'],
  ['BA', ' Bath '],
])('%s has the post town %s', (area, name) => {
  expect(isPostTownOf(area, name)).toBe(true)
})

test.each([
  ['LS', 'Bath'],
  ['LS', 'Lee'],
  ['ZZ', 'Weston'],
])('%s does not have the post town %s', (area, name) => {
  expect(isPostTownOf(area, name)).toBe(false)
})

test('the postcode areas are the 124 of the map', () => {
  expect(townAreas).toHaveLength(124)
  expect(townAreas.every((area) => /^[A-Z]{1,2}$/.test(area))).toBe(true)
})
