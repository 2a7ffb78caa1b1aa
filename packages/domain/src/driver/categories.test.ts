import { expect, test } from 'vitest'
import { categoryCodes, categoryLegalLiteral } from './categories.ts'

test('the entitlement codes are complete', () => {
  expect(categoryCodes.toSorted().join(' ')).toBe(
    'A A1 A2 AM B B1 BE C C1 C1E CE D D1 D1E DE F G H K L M N P Q',
  )
})

test('every category has its own text', () => {
  expect(new Set(categoryCodes.map(categoryLegalLiteral)).size).toBe(categoryCodes.length)
})

const texts: [code: string, legalLiteral: string | undefined][] = [
  ['H', 'Tracked vehicles'],
  [
    'A1',
    'Motorbikes with engine size up to 125 cc, power output up to 11 kW and power/weight ratio up to 0.1 kW/kg',
  ],
  [
    'B',
    "Vehicles up to 3,500 kg Maximum Authorised Mass (MAM) with up to 8 passenger seats and driver (with a trailer up to 750 kg). Can also tow heavier trailers if the total weight of vehicle and trailer isn't more than 3,500 kg.",
  ],
  ['C', 'Goods vehicles over 3,500 kg MAM (with a trailer up to 750 kg)'],
  ['B+E', undefined],
  ['b', undefined],
  ['', undefined],
  ['constructor', undefined],
]

test.for(texts)('the legal text of %j is %j', ([code, legalLiteral]) => {
  expect(categoryLegalLiteral(code)).toBe(legalLiteral)
})
