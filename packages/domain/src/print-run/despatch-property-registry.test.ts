import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printRunDespatchMethods } from './despatch-method.ts'
import { despatchProperties } from './despatch-properties.ts'
import {
  describeDespatchPropertyType,
  despatchPropertyFault,
  despatchPropertyRegistry,
} from './despatch-property-registry.ts'

const texts = [
  ...['mailProvider', 'eManifestId', 'docketNumber', 'sortSelection', 'supplyChainId'],
  ...['mailmarkItemId', 'trayId', 'trackingNumber'],
]
const fitting: [key: string, ...values: string[]][] = [
  ['totalSheets', '1', '999999'],
  ['postageClass', '1ST', '2ND', 'INTERNATIONAL', 'SPECIAL', 'INTERNAL'],
  ['mailingProduct', 'UNCODED', 'MM ECONOMY'],
  ['weightGrams', '0', '21.47', '100', '999999.999'],
  ['productionRunDate', '2024-08-01 09:15:14.456', '2024-02-29 00:00:00', '2024-08-01 09:15:14.4'],
  ['handoverAt', '2026-01-31T17:30:00Z', '2026-01-31T17:30:00.123+01:00'],
  ['handoverAt', '2026-01-31T17:30:00-00:30', '2026-01-31T17:30:00.123456789Z'],
  ['format', 'LETTER', 'LARGE_LETTER'],
  ['machinable', 'true', 'false'],
  ...texts.map((key): [string, string] => [key, 'anything at all']),
  ['aKeyOfTheirOwn', 'null'],
  ['constructor', 'is no well-known key either'],
]

test.for(fitting)('%s accepts %s', ([key, ...values]) => {
  expect(values.map((value) => despatchPropertyFault(key, value))).toEqual(
    values.map(() => undefined),
  )
})

const unfitting: [key: string, fault: string, ...values: string[]][] = [
  [
    'totalSheets',
    'must be the text of a whole number from 1 to 999999 for the key totalSheets',
    ...['0', '05', '1.0', '-1', 'five', ' 5', '5 ', '1000000'],
  ],
  [
    'postageClass',
    'must be one of 1ST, 2ND, INTERNATIONAL, SPECIAL, INTERNAL for the key postageClass',
    ...['1st', 'FIRST', '3RD'],
  ],
  [
    'weightGrams',
    'must be the text of a number below a million with at most three decimals for the key weightGrams',
    ...['12,5', '1e3', '.5', '12.', '00', '12.3456', ' 1', '1 ', '-1', '1000000', '01'],
  ],
  [
    'handoverAt',
    'must be a date and time such as 2026-01-31 17:30:00.000 (London) or 2026-01-31T17:30:00Z for the key handoverAt',
    ...['31/01/2026', '2026-02-30T10:00:00Z', '2026-01-31T17:30:00', '2026-01-31 24:00:00'],
    ...['2026-01-31 17:30:00.1234', '2026-01-31 17:30:00.', '2026-01-31 17:30:00 ', '2026-01-31'],
    ...[' 2026-01-31 17:30:00', ' 2026-01-31T17:30:00Z', '2026-01-31T17:30:00Z '],
    ...['2026-01-31 17:30:00Z', '2026-01-31T17:30:00+1:00', '2026-01-31T17:30:00+01:0'],
    ...['2026-01-31T17:30:00.Z', '2026-01-31T17:30:00.1234567890Z', '2026-01-31 25:00:00'],
  ],
  ['machinable', 'must be true or false for the key machinable', 'yes', 'TRUE'],
  ['format', 'must be one of LETTER, LARGE_LETTER for the key format', 'PARCEL'],
]

test.for(unfitting)('%s %s', ([key, fault, ...values]) => {
  expect(values.map((value) => despatchPropertyFault(key, value))).toEqual(values.map(() => fault))
})

test('consumers require the sheets and the postage, and texts are described as such', () => {
  const required = Object.entries(despatchPropertyRegistry).filter(
    ([, property]) => 'isRequired' in property && property.isRequired,
  )

  expect(required.map(([key]) => key)).toEqual(['totalSheets', 'postageClass', 'mailingProduct'])
  expect(describeDespatchPropertyType({ kind: 'text' })).toBe('text')
})

test('the properties that we fill in are valid', () => {
  const materials = {
    papers: [{ stationery: 'A4-CARD', gramsPerSquareMetre: 1_000 }],
    envelopes: [{ name: 'Box', grams: 999.999, sheetsMax: 10_000 }],
  }
  fc.assert(
    fc.property(
      fc.constantFrom(...printRunDespatchMethods),
      fc.integer({ min: 1, max: 10_000 }),
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
      (despatchMethod, sheets, at) => {
        const properties = despatchProperties({
          despatchMethod,
          sheets,
          stationery: 'A4-CARD',
          materials,
          producedAt: at,
          handoverAt: at,
          carrier: 'Royal Mail',
          manifestNumber: 'EM1',
          ofPosting: [],
          ofDocument: [],
        })

        for (const { key, value } of properties) {
          expect(despatchPropertyFault(key, value)).toBeUndefined()
        }
      },
    ),
  )
})
