import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { structuredAddressFields } from './address.ts'
import { makeStructuredLines } from './printable-address.ts'

const street = { thoroughfareName: 'High Street', postTown: 'Bath' }

function print(address: Parameters<typeof makeStructuredLines>[0]): string[] {
  const { line1, line2, line3, line4 } = makeStructuredLines({ ...street, ...address })
  return [line1, line2, line3, line4].filter((line) => line !== undefined)
}

describe('a building name', () => {
  const numbers = ['1', '1-2', '100:1', '1to1', '1A', '12A', '2B-4C', 'A']
  test.each(numbers)(
    'that is a number is printed before the street (exceptions I, II, III): %s',
    (buildingName) => {
      expect(print({ buildingName })).toEqual([`${buildingName.toUpperCase()} HIGH STREET`])
    },
  )

  test.each(['AB', 'A1', '1AB', 'A1A', 'The Manor'])(
    'that is not a number has its own line: %s',
    (buildingName) => {
      expect(print({ buildingName })).toEqual([buildingName.toUpperCase(), 'HIGH STREET'])
    },
  )

  test.each(['1-3', '12A', '2B-4C', '1to3'])(
    'whose last word is %s gives that word to the street',
    (word) => {
      expect(print({ buildingName: `Elm Court ${word}` })).toEqual([
        'ELM COURT',
        `${word.toUpperCase()} HIGH STREET`,
      ])
    },
  )

  const keywords = [
    'Back of',
    'Block',
    'Blocks',
    'Building',
    'Maisonette',
    'Maisonettes',
    'Rear of',
    'Shop',
    'Shops',
    'Stall',
    'Stalls',
    'Suite',
    'Suites',
    'Unit',
    'Units',
    'Flat',
  ]
  test.each(keywords)('keeps its number (exception IV): %s', (keyword) => {
    expect(print({ buildingName: `${keyword} 2A` })).toEqual([
      `${keyword.toUpperCase()} 2A`,
      'HIGH STREET',
    ])
    expect(print({ buildingName: `The Mill ${keyword.toUpperCase()} 2A` })).toEqual([
      `THE MILL ${keyword.toUpperCase()} 2A`,
      'HIGH STREET',
    ])
  })

  test.each(['0', '10', '9999', '85/1', '1.2'])(
    'keeps a last word that is a plain number, or under exception V: %s',
    (word) => {
      expect(print({ buildingName: `Sellon Court ${word}` })).toEqual([
        `SELLON COURT ${word}`,
        'HIGH STREET',
      ])
    },
  )
})

describe('every row of the rules', () => {
  test.each([
    [
      'the head: organisation, department, PO box, each on its own line',
      { organisationName: 'Leda Ltd', departmentName: 'Sales', poBoxNumber: '61' },
      ['LEDA LTD', 'SALES', 'PO BOX 61', 'HIGH STREET'],
    ],
    [
      'the street run',
      {
        dependentThoroughfareName: 'Elm Mews',
        doubleDependentLocality: 'Lowmoor',
        dependentLocality: 'Stoke',
      },
      ['ELM MEWS', 'HIGH STREET', 'LOWMOOR', 'STOKE'],
    ],
    [
      'rule 4: a building that looks like a number stands alone above the number',
      { buildingName: '12A', buildingNumber: '7' },
      ['12A', '7 HIGH STREET'],
    ],
    [
      'rule 5, exception I',
      { subBuildingName: '1-2', buildingNumber: '12' },
      ['1-2 12 HIGH STREET'],
    ],
    [
      'rule 6, building is a number, sub-building is a name',
      { subBuildingName: 'Flat 1', buildingName: '12A' },
      ['FLAT 1', '12A HIGH STREET'],
    ],
    [
      'rule 6, split, sub-building is a number',
      { subBuildingName: '2', buildingName: 'Elm Court 1A' },
      ['2 ELM COURT', '1A HIGH STREET'],
    ],
    [
      'rule 6, sub-building is a letter',
      { subBuildingName: 'C', buildingName: 'The Tower' },
      ['C THE TOWER', 'HIGH STREET'],
    ],
    [
      'rule 6, neither is a number',
      { subBuildingName: 'Stables Flat', buildingName: 'The Manor' },
      ['STABLES FLAT', 'THE MANOR', 'HIGH STREET'],
    ],
    [
      'rule 7, sub-building is a number',
      { subBuildingName: '2B', buildingName: 'The Tower', buildingNumber: '27' },
      ['2B THE TOWER', '27 HIGH STREET'],
    ],
    [
      'rule 7, sub-building is a letter',
      { subBuildingName: 'C', buildingName: 'The Tower', buildingNumber: '27' },
      ['C THE TOWER', '27 HIGH STREET'],
    ],
    [
      'a sub-building without a building or a number',
      { subBuildingName: 'Caravan 3' },
      ['CARAVAN 3', 'HIGH STREET'],
    ],
  ])('%s', (_, address, lines) => {
    expect(print(address)).toEqual(lines)
  })

  test('without a street run the number is a line by itself', () => {
    expect(
      print({ thoroughfareName: null, buildingName: 'Elm Court 1A', subBuildingName: 'Flat 2' }),
    ).toEqual(['FLAT 2', 'ELM COURT', '1A'])
  })
})

describe('any structured address', () => {
  const words = fc.constantFrom(
    'Elm',
    'Court',
    '1A',
    'Flat',
    '10',
    'Unit',
    '2B-4C',
    'ß',
    '\u{1F600}',
  )
  const text = fc.array(words, { minLength: 1, maxLength: 30 }).map((parts) => parts.join(' '))
  // Spec: a postcode has at most 10 characters.
  const postcode = text.map((value) => [...value].slice(0, 10).join(''))
  const record = fc.record(
    Object.fromEntries(
      structuredAddressFields.map((field) => [
        field,
        fc.option(field === 'postcode' ? postcode : text, { nil: null }),
      ]),
    ),
  )
  const linesOf = (address: Parameters<typeof makeStructuredLines>[0]) => {
    const { postcode, dps, ...lines } = makeStructuredLines(address)
    return Object.values(lines)
  }

  test('has at most five lines of at most 45 characters, and one is the town', () => {
    fc.assert(
      fc.property(record, (address) => {
        const lines = linesOf({ ...address, postTown: 'Bath', thoroughfareName: 'High Street' })
        expect(lines.length).toBeLessThanOrEqual(5)
        expect(lines.every((line) => [...line].length <= 45)).toBe(true)
        expect(lines.at(-1)).toMatch(/^BATH/)
      }),
    )
  })

  test.each([
    ['a number', { buildingNumber: '27' }],
    [
      'a name that is a number',
      { buildingName: '27', buildingNumber: null, subBuildingName: null },
    ],
    [
      'the number part of a name',
      { buildingName: 'Elm Court 27A', buildingNumber: null, subBuildingName: null },
    ],
  ])('prints the line with street and %s', (_, premise) => {
    fc.assert(
      fc.property(record, fc.boolean(), (address, isDependent) => {
        const streets = isDependent
          ? { dependentThoroughfareName: 'Elm Mews' }
          : { dependentThoroughfareName: null, thoroughfareName: 'Elm Mews' }
        const others = { subBuildingName: 'Flat 3', ...premise }
        expect(linesOf({ ...address, ...others, ...streets, postTown: 'Bath' })).toContainEqual(
          expect.stringMatching(/\b27A? ELM MEWS/),
        )
      }),
    )
  })

  test('without a street prints the locality with the number', () => {
    fc.assert(
      fc.property(record, (address) => {
        const noStreet = { dependentThoroughfareName: null, thoroughfareName: null }
        const premise = { buildingNumber: '27', subBuildingName: 'Flat 3' }
        const locality = { doubleDependentLocality: 'Lowmoor' }
        expect(linesOf({ ...address, ...premise, ...noStreet, ...locality })).toContainEqual(
          expect.stringMatching(/27 LOWMOOR/),
        )
      }),
    )
  })

  test('has a postcode of at most 8 characters, and a suffix only with a full postcode', () => {
    fc.assert(
      fc.property(
        fc.option(fc.string({ unit: 'binary', maxLength: 12 }), { nil: null }),
        fc.constantFrom('SA1 1AA', 'sa11aa', 'SA1', '', null),
        fc.boolean(),
        (anything, real, isReal) => {
          const { postcode, dps } = makeStructuredLines({
            ...street,
            postcode: isReal ? real : anything,
            dps: '1A',
          })
          expect([...(postcode ?? '')].length).toBeLessThanOrEqual(8)
          if (dps !== null) expect(postcode).toMatch(/^[A-Z0-9]{2,4} [0-9][A-Z]{2}$/)
        },
      ),
    )
  })
})
