import { expect, test } from 'vitest'
import { despatchMethods } from '../print-job/params.ts'
import { findAbroad, producedMethodOf } from './abroad.ts'

const to = (country: string) => ({ internationalAddress: { line1: '1 Rue Haute', country } })
const inland = {
  unstructuredAddress: { line1: '1 High Street', line2: 'Bath', postcode: 'BA1 1AA' },
}
const forces = { bfpoAddress: { line1: '1 Rifles', bfpoNumber: 58 } }

test.each([
  ...[
    'Austria',
    'Belgium',
    'Bulgaria',
    'Croatia',
    'Cyprus',
    'Czechia',
    'Denmark',
    'Estonia',
    'Finland',
  ],
  ...[
    'France',
    'Germany',
    'Greece',
    'Hungary',
    'Ireland',
    'Italy',
    'Latvia',
    'Lithuania',
    'Luxembourg',
  ],
  ...[
    'Malta',
    'Netherlands',
    'Poland',
    'Portugal',
    'Romania',
    'Slovakia',
    'Slovenia',
    'Spain',
    'Sweden',
  ],
  ...['Corsica', 'Canary Islands', 'Madeira', 'Åland Islands', 'Deutschland'],
])('a letter to %s goes to the European Union', (country) => {
  expect(producedMethodOf(to(country), undefined)).toBe('INTERNATIONAL_EU')
})

test.each([
  ...['United Kingdom', 'Scotland', 'Switzerland', 'Norway', 'Iceland', 'Liechtenstein', 'Monaco'],
  ...['Guadeloupe', 'Martinique', 'Réunion', 'Greenland', 'Faroe Islands', 'Turkey', 'Ukraine'],
  ...['Gibraltar', 'Falkland Islands', 'Bermuda', 'United States', 'Frnace', 'Somewhere'],
])('a letter to %s goes to the rest of the world', (country) => {
  expect(producedMethodOf(to(country), undefined)).toBe('INTERNATIONAL_ROW')
})

test.each([
  ['FIRST', 'INTERNATIONAL_EU'],
  ['ECONOMY', 'INTERNATIONAL_EU'],
  ['SPECIAL', 'SPECIAL'],
  ['INTERNAL', 'INTERNAL'],
  ['INTERNATIONAL_ROW', 'INTERNATIONAL_ROW'],
] as const)('%s to France is produced as %s', (method, produced) => {
  expect(producedMethodOf(to('France'), method)).toBe(produced)
})

test.each(['Jersey', 'Guernsey', 'Isle of Man', 'Channel Islands'])(
  'a letter to %s has the despatch methods of the United Kingdom',
  (country) => {
    expect(producedMethodOf(to(country), undefined)).toBe('SECOND')
    expect(producedMethodOf(to(country), 'FIRST')).toBe('FIRST')
    expect(findAbroad(to(country), 'FIRST')).toEqual([])
  },
)

test.each([inland, forces])('any other address keeps its despatch method: %j', (address) => {
  expect(producedMethodOf(address, undefined)).toBe('SECOND')
  for (const method of despatchMethods) {
    expect(producedMethodOf(address, method)).toBe(method)
    expect(findAbroad(address, method)).toEqual([])
  }
})

test.each([
  ['France', undefined, []],
  ['France', 'INTERNATIONAL_ROW', []],
  [
    'France',
    'FIRST',
    [
      [
        'class-abroad',
        'despatchMethod FIRST is a class inside the United Kingdom: the letter is produced as INTERNATIONAL_EU.',
      ],
    ],
  ],
  ['Frnace', undefined, [['country-unknown', 'country is no known country. Did you mean France?']]],
  ['Somewhere', 'SPECIAL', [['country-unknown', 'country is no known country.']]],
  [
    'Wales',
    undefined,
    [
      [
        'country-unknown',
        'country is the United Kingdom: send its addresses as structuredAddress or unstructuredAddress.',
      ],
    ],
  ],
] as const)('a letter to %s by %s has the findings %j', (country, method, expected) => {
  const found = findAbroad(to(country), method)

  expect(found.map(({ rule, detail }) => [rule, detail])).toEqual(expected)
  expect(found.every(({ severity }) => severity === 'note')).toBe(true)
})
