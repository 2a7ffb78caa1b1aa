import { describe, expect, test } from 'vitest'
import { parsePostcodeSearch, planPostcodeSearch } from './postcode-search.ts'

describe('reads full and partial postcodes, in any case and with any spaces', () => {
  test.for([
    ['sa6 7jl', { kind: 'full', outward: 'SA6', sector: '7', unit: 'JL' }],
    ['SA67JL', { kind: 'full', outward: 'SA6', sector: '7', unit: 'JL' }],
    ['EC1A\u00a01BB', { kind: 'full', outward: 'EC1A', sector: '1', unit: 'BB' }],
    ['GIR 0AA', { kind: 'full', outward: 'GIR', sector: '0', unit: 'AA' }],
    ['AB1', { kind: 'partial', outward: 'AB1' }],
    ['AB1 2', { kind: 'partial', outward: 'AB1', sector: '2' }],
    ['AB12', { kind: 'partial', outward: 'AB12' }],
    ['ab12 3', { kind: 'partial', outward: 'AB12', sector: '3' }],
    ['AB123', { kind: 'partial', outward: 'AB12', sector: '3' }],
    ['W1A', { kind: 'partial', outward: 'W1A' }],
    [' AB1 2 ', { kind: 'partial', outward: 'AB1', sector: '2' }],
    ['W1A'.padEnd(40), { kind: 'partial', outward: 'W1A' }],
  ] as const)('%s', ([text, sought]) => {
    expect(parsePostcodeSearch(text)).toStrictEqual(sought)
  })
})

test.for([
  '',
  ' ',
  'AB',
  'A',
  '1',
  'AB1 2C',
  'AB1 2CDE',
  'SA6-7JL',
  'AI1 1AA',
  'D02 X285',
  'X'.repeat(200),
  'W1A'.padEnd(41),
])('refuses as a postcode: %j', (text) => {
  expect(parsePostcodeSearch(text)).toBeUndefined()
})

describe('a search finds the stored postcodes of', () => {
  test.for([
    [
      'a full one: itself, and stored partial ones that are a prefix of it',
      'SA6 7JL',
      true,
      { equals: ['SA67JL', 'SA67', 'SA6'] },
    ],
    ['a full one without partial ones: itself alone', 'SA6 7JL', false, { equals: ['SA67JL'] }],
    [
      'an outward code: itself, and full ones that begin with it',
      'AB1',
      true,
      { equals: ['AB1'], beginning: 'AB1' },
    ],
    [
      'a sector: itself, its outward code, and full ones that begin with it',
      'AB1 2',
      true,
      { equals: ['AB12', 'AB1'], beginning: 'AB1 2' },
    ],
  ] as const)('%s', ([, text, withPartial, search]) => {
    expect(planPostcodeSearch(parsePostcodeSearch(text)!, withPartial)).toEqual(search)
  })
})
