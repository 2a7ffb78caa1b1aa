import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printRunDespatchMethods } from './despatch-method.ts'
import { type DespatchFacts, despatchProperties } from './despatch-properties.ts'

const facts: DespatchFacts = {
  despatchMethod: 'SECOND',
  stationery: 'A4-PLAIN',
  materials: null,
  sheets: 5,
  producedAt: new Date('2024-08-01T08:15:14.456Z'),
  carrier: 'Royal Mail',
  handoverAt: new Date('2024-12-02T17:30:00Z'),
  ofPosting: [],
  ofDocument: [],
}

test('fills in the properties that consumers require, as text, with times in London', () => {
  expect(despatchProperties(facts)).toEqual([
    { key: 'totalSheets', value: '5' },
    { key: 'postageClass', value: '2ND' },
    { key: 'mailingProduct', value: 'UNCODED' },
    { key: 'productionRunDate', value: '2024-08-01 09:15:14.456' },
    { key: 'weightGrams', value: '31.45' },
    { key: 'mailProvider', value: 'Royal Mail' },
    { key: 'handoverAt', value: '2024-12-02 17:30:00.000' },
  ])
})

test('the weight includes the paper and the envelope of the site', () => {
  const materials = {
    papers: [{ stationery: 'A4-PLAIN', gramsPerSquareMetre: 100 }],
    envelopes: [{ name: 'C4', grams: 14.5, sheetsMax: 50 }],
  }

  expect(despatchProperties({ ...facts, materials })).toContainEqual({
    key: 'weightGrams',
    value: '45.69',
  })
})

const methods: [DespatchFacts['despatchMethod'], postageClass: string, mailingProduct: string][] = [
  ['FIRST', '1ST', 'UNCODED'],
  ['SECOND', '2ND', 'UNCODED'],
  ['ECONOMY', '2ND', 'UNSORTEDE'],
  ['INTERNATIONAL_EU', 'INTERNATIONAL', 'INT EU'],
  ['INTERNATIONAL_ROW', 'INTERNATIONAL', 'INT ROW'],
  ['SPECIAL', 'SPECIAL', 'SPECIAL DELIVERY'],
  ['INTERNAL', 'INTERNAL', 'INTERNAL'],
]

test.for(methods)('a letter by %s is %s, %s', ([despatchMethod, postageClass, mailingProduct]) => {
  const properties = despatchProperties({ ...facts, despatchMethod })

  expect(properties).toContainEqual({ key: 'postageClass', value: postageClass })
  expect(properties).toContainEqual({ key: 'mailingProduct', value: mailingProduct })
})

test("the provider's property of a document overrides that of the posting, and both override ours", () => {
  const properties = despatchProperties({
    ...facts,
    manifestNumber: 'EM1',
    ofPosting: [
      { key: 'mailingProduct', value: 'MM' },
      { key: 'trayId', value: '1' },
    ],
    ofDocument: [
      { key: 'trayId', value: '2' },
      { key: 'totalSheets', value: '6' },
    ],
  })

  expect(properties).toEqual([
    { key: 'totalSheets', value: '6' },
    { key: 'postageClass', value: '2ND' },
    { key: 'mailingProduct', value: 'MM' },
    { key: 'productionRunDate', value: '2024-08-01 09:15:14.456' },
    { key: 'weightGrams', value: '31.45' },
    { key: 'mailProvider', value: 'Royal Mail' },
    { key: 'handoverAt', value: '2024-12-02 17:30:00.000' },
    { key: 'eManifestId', value: 'EM1' },
    { key: 'trayId', value: '2' },
  ])
})

test('with any properties of the provider, keys are unique, ours are present, and all fit the specification', () => {
  const key = fc.oneof(
    fc.constantFrom('totalSheets', 'postageClass', 'mailingProduct', 'trayId', '__proto__'),
    fc.string({ minLength: 1, maxLength: 50, unit: 'grapheme-ascii' }),
  )
  const value = fc.string({ minLength: 1, maxLength: 255, unit: 'grapheme-ascii' })
  const ofProvider = fc.uniqueArray(fc.record({ key, value }), { selector: (item) => item.key })

  fc.assert(
    fc.property(
      fc.record({
        despatchMethod: fc.constantFrom(...printRunDespatchMethods),
        stationery: fc.constant('A4-PLAIN'),
        materials: fc.constant(null),
        sheets: fc.integer({ min: 1, max: 100 }),
        producedAt: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        carrier: fc.string({ minLength: 1, maxLength: 600, unit: 'binary' }),
        handoverAt: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        manifestNumber: fc.option(fc.string({ maxLength: 600 }), { nil: undefined }),
        ofPosting: ofProvider,
        ofDocument: ofProvider,
      }),
      (given) => {
        const properties = despatchProperties(given)
        const said = new Map(properties.map((property) => [property.key, property.value]))

        expect(said.size).toBe(properties.length)
        expect([...said.keys()]).toEqual(
          expect.arrayContaining(['totalSheets', 'postageClass', 'mailingProduct']),
        )
        for (const { key, value } of properties) {
          expect(Array.from(key).length).toBeLessThanOrEqual(50)
          expect(Array.from(value).length).toBeGreaterThanOrEqual(1)
          expect(Array.from(value).length).toBeLessThanOrEqual(255)
        }
        for (const { key, value } of given.ofDocument) expect(said.get(key)).toBe(value)
      },
    ),
  )
})
