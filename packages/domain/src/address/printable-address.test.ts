import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, structuredAddressFields } from './address.ts'
import { makePrintableAddress, makeUnstructuredLines } from './printable-address.ts'

test('each kind of address is printed', () => {
  const recipientName = 'Ms Ann Other'
  const recipient = { recipientLine1: 'Ms Ann Other', recipientLine2: '' }
  const print = (address: Address) => makePrintableAddress({ recipientName, address })

  expect([
    print({
      structuredAddress: { buildingNumber: '1', thoroughfareName: 'High St', postTown: 'Bath' },
    }),
    print({
      unstructuredAddress: { line1: '1 High St', line2: 'Bath', postcode: 'BA1 1AA', dps: '1A' },
    }),
    print({ bfpoAddress: { line1: '1 Rifles', bfpoNumber: 58, postcode: 'BF1 3AA' } }),
    print({ internationalAddress: { line1: '1 rue Haute', line2: 'Paris', country: 'France' } }),
  ]).toEqual([
    { line1: '1 HIGH ST', line5: 'BATH', dps: null, ...recipient },
    { line1: '1 High St', line2: 'Bath', postcode: 'BA1 1AA', dps: '1A', ...recipient },
    { line1: '1 Rifles', line5: 'BFPO 58', postcode: 'BF1 3AA', dps: null, ...recipient },
    { line1: '1 rue Haute', line2: 'Paris', line5: 'FRANCE', dps: null, ...recipient },
  ])
})

describe('the length limits of the interface hold for every address', () => {
  const text = (maxLength: number) =>
    fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength }),
      fc.string({
        unit: fc.constantFrom('A', '1', ' ', ',', '(', '+', '/', 'ß', '😀'),
        minLength: 1,
        maxLength,
      }),
    )
  const line = text(45)
  const optional = fc.option(line, { nil: undefined })
  const long = fc.option(text(400), { nil: null })
  const structured = fc.record(
    Object.fromEntries(structuredAddressFields.map((field) => [field, long])),
  )
  const rest = { line2: optional, line3: optional, line4: optional }
  const anyAddress = fc.oneof(
    fc.record({ structuredAddress: structured }),
    fc.record({
      unstructuredAddress: fc.record({
        line1: line,
        ...rest,
        line5: optional,
        postcode: text(10),
        dps: fc.option(text(2), { nil: undefined }),
      }),
    }),
    fc.record({
      bfpoAddress: fc.record({
        line1: line,
        ...rest,
        bfpoNumber: fc.integer({ min: 1, max: 9999 }),
        postcode: fc.option(text(10), { nil: undefined }),
      }),
    }),
    fc.record({
      internationalAddress: fc.record({
        line1: line,
        ...rest,
        line5: optional,
        country: text(256),
      }),
    }),
  ) as fc.Arbitrary<Address>

  test('lines have 1 to 45 characters, the postcode at most 8, the suffix at most 2', () => {
    fc.assert(
      fc.property(text(255), anyAddress, (recipientName, address) => {
        const { postcode, dps, recipientLine2, ...lines } = makePrintableAddress({
          recipientName,
          address,
        })
        expect(lines.line1).toBeDefined()
        for (const printed of Object.values(lines)) {
          expect([...printed].length).toBeGreaterThanOrEqual(1)
          expect([...printed].length).toBeLessThanOrEqual(45)
        }
        expect([...recipientLine2].length).toBeLessThanOrEqual(45)
        expect([...(postcode ?? 'x')].length).toBeGreaterThanOrEqual(1)
        expect([...(postcode ?? '')].length).toBeLessThanOrEqual(8)
        expect([...(dps ?? '')].length).toBeLessThanOrEqual(2)
      }),
      { numRuns: byEffort({ landing: 300, full: 10_000 }) },
    )
  })

  test('number and street share a line, with any other fields', () => {
    fc.assert(
      fc.property(structured, (address) => {
        const { recipientLine1, recipientLine2, ...lines } = makePrintableAddress({
          recipientName: 'A',
          address: {
            structuredAddress: {
              ...address,
              dependentThoroughfareName: null,
              buildingNumber: '27',
              thoroughfareName: 'High Street',
              subBuildingName: 'Flat 3',
            },
          },
        })
        expect(Object.values(lines)).toContainEqual(expect.stringMatching(/27 HIGH STREET/))
      }),
    )
  })

  test('also fields of a million characters are cut', () => {
    const huge = 'Mile-long 1a'.repeat(100_000)
    const structuredAddress = Object.fromEntries(
      structuredAddressFields.map((field) => [field, huge]),
    )
    const printed = makePrintableAddress({ recipientName: 'A', address: { structuredAddress } })
    expect(Object.values(printed).every((value) => (value ?? '').length <= 45)).toBe(true)
  })
})

const long = 'x'.repeat(40)

test.each([
  [
    'lines keep their places',
    { line1: '1 High Street', line5: 'Bath', postcode: 'ba11aa' },
    { line1: '1 High Street', line5: 'Bath', postcode: 'BA1 1AA', dps: null },
  ],
  [
    'blank lines are left out',
    { line1: ' 1  High Street ', line2: '', line3: ' ', postcode: 'BA1 1AA' },
    { line1: '1 High Street', postcode: 'BA1 1AA', dps: null },
  ],
  [
    'a blank line 1 is filled by the first that is not',
    { line1: ' ', line3: '1 High Street', line5: 'Bath', postcode: 'BA1 1AA' },
    { line1: '1 High Street', line5: 'Bath', postcode: 'BA1 1AA', dps: null },
  ],
  [
    'the suffix goes with a full UK postcode',
    { line1: 'a', postcode: 'BA1 1AA', dps: '1A' },
    { line1: 'a', postcode: 'BA1 1AA', dps: '1A' },
  ],
  [
    'and with nothing else',
    { line1: 'a', postcode: '75001', dps: '1A' },
    { line1: 'a', postcode: '75001', dps: null },
  ],
  [
    'a suffix of three characters is none',
    { line1: 'a', postcode: 'BA1 1AA', dps: '1AA' },
    { line1: 'a', postcode: 'BA1 1AA', dps: null },
  ],
  [
    'a spaced-out UK postcode of 10 characters is normalised to 8',
    { line1: 'a', postcode: 'EC1A  1B B' },
    { line1: 'a', postcode: 'EC1A 1BB', dps: null },
  ],
  [
    'a long last line in the place of the postcode becomes line 5',
    { line1: 'a', line2: 'b', postcode: 'Postcode o' },
    { line1: 'a', line2: 'b', line5: 'Postcode o', dps: null },
  ],
  [
    'or joins line 5',
    { line1: 'a', line5: 'Bath', postcode: 'Postcode o' },
    { line1: 'a', line5: 'Bath, Postcode o', dps: null },
  ],
  [
    'or closes up the lines when line 5 is too long',
    { line1: 'a', line3: 'c', line5: long, postcode: 'Postcode o' },
    { line1: 'a', line2: 'c', line3: long, line5: 'Postcode o', dps: null },
  ],
  [
    'or is cut to 8 when five lines are full',
    { line1: 'a', line2: 'b', line3: 'c', line4: 'd', line5: long, postcode: 'Postcode o' },
    {
      line1: 'a',
      line2: 'b',
      line3: 'c',
      line4: 'd',
      line5: long,
      postcode: 'Postcode',
      dps: null,
    },
  ],
  [
    'which may be a blank less',
    { line1: 'a', line2: 'b', line3: 'c', line4: 'd', line5: long, postcode: 'Postcod of' },
    { line1: 'a', line2: 'b', line3: 'c', line4: 'd', line5: long, postcode: 'Postcod', dps: null },
  ],
  ['blanks only', { line1: ' ', postcode: ' ' }, { line1: '-', dps: null }],
])('an unstructured address is printed as lines: %s', (_, address, lines) => {
  expect(makeUnstructuredLines(address)).toEqual(lines)
})
