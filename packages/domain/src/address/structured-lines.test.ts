import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { convertStructuredToUnstructured } from 'postman-paf'
import { describe, expect, test } from 'vitest'
import { type StructuredAddress, structuredAddressFields } from './address.ts'
import { makeStructuredLines } from './printable-address.ts'

const swansea = { postTown: 'Swansea', postcode: 'SA1 1AA' }
const printed = { line5: 'SWANSEA', postcode: 'SA1 1AA', dps: null }

describe("a structured address follows Royal Mail's rules", () => {
  const rules: [rule: string, address: StructuredAddress, lines: string[]][] = [
    ['rule 1, organisation only', { organisationName: 'Leda Ltd' }, ['LEDA LTD']],
    [
      'rule 1, PO box',
      { organisationName: 'Robinsons', poBoxNumber: '61' },
      ['ROBINSONS', 'PO BOX 61'],
    ],
    ['no premise at all', { thoroughfareName: 'High Street' }, ['HIGH STREET']],
    ['rule 2', { buildingNumber: '1', thoroughfareName: 'Acacia Avenue' }, ['1 ACACIA AVENUE']],
    [
      'rule 2, number before the dependent street',
      { buildingNumber: '6', dependentThoroughfareName: 'Elm Mews', thoroughfareName: 'Elm Road' },
      ['6 ELM MEWS', 'ELM ROAD'],
    ],
    [
      'rule 2, number before a locality',
      { buildingNumber: '6', dependentLocality: 'Whittlesea' },
      ['6 WHITTLESEA'],
    ],
    ['rule 2, number alone', { buildingNumber: '6' }, ['6']],
    [
      'rule 3',
      { buildingName: 'The Manor', thoroughfareName: 'Upper Hill' },
      ['THE MANOR', 'UPPER HILL'],
    ],
    [
      'rule 3, exception I',
      { buildingName: '1-2', thoroughfareName: 'Upper Hill' },
      ['1-2 UPPER HILL'],
    ],
    [
      'rule 3, exception II',
      { buildingName: '12A', thoroughfareName: 'Upper Hill' },
      ['12A UPPER HILL'],
    ],
    [
      'rule 3, exception III',
      { buildingName: 'K', thoroughfareName: 'Upper Hill' },
      ['K UPPER HILL'],
    ],
    [
      'rule 3, the number part moves to the street',
      { buildingName: 'Elm Court 1-3', thoroughfareName: 'High Street' },
      ['ELM COURT', '1-3 HIGH STREET'],
    ],
    [
      'rule 3, a plain number stays',
      { buildingName: 'Sellon Court 10', thoroughfareName: 'High Street' },
      ['SELLON COURT 10', 'HIGH STREET'],
    ],
    [
      'rule 3, exception IV: a keyword keeps the number',
      { buildingName: 'Rear of 2A', thoroughfareName: 'High Street' },
      ['REAR OF 2A', 'HIGH STREET'],
    ],
    [
      'rule 3, exception V: a fraction stays',
      { buildingName: 'Lodge 85/1', thoroughfareName: 'High Street' },
      ['LODGE 85/1', 'HIGH STREET'],
    ],
    [
      'rule 4',
      { buildingName: 'Victoria House', buildingNumber: '15', thoroughfareName: 'The Street' },
      ['VICTORIA HOUSE', '15 THE STREET'],
    ],
    [
      'rule 5, a letter joins the number',
      { subBuildingName: 'A', buildingNumber: '12', thoroughfareName: 'High Street' },
      ['12A HIGH STREET'],
    ],
    [
      'rule 5, exception II',
      { subBuildingName: '1A', buildingNumber: '12', thoroughfareName: 'High Street' },
      ['1A 12 HIGH STREET'],
    ],
    [
      'rule 5, other',
      { subBuildingName: 'Flat 1', buildingNumber: '12', thoroughfareName: 'High Street' },
      ['FLAT 1', '12 HIGH STREET'],
    ],
    [
      'rule 6, building is a number',
      { subBuildingName: '10B', buildingName: '12A', thoroughfareName: 'High Street' },
      ['10B', '12A HIGH STREET'],
    ],
    [
      'rule 6, the number part moves to the street',
      { subBuildingName: 'Flat 2', buildingName: 'Elm Court 1A', thoroughfareName: 'High Street' },
      ['FLAT 2', 'ELM COURT', '1A HIGH STREET'],
    ],
    [
      'rule 6, other',
      { subBuildingName: '3', buildingName: 'The Tower', thoroughfareName: 'High Street' },
      ['3 THE TOWER', 'HIGH STREET'],
    ],
    [
      'rule 7',
      {
        subBuildingName: 'Flat 3',
        buildingName: 'The Tower',
        buildingNumber: '27',
        thoroughfareName: 'John Street',
      },
      ['FLAT 3', 'THE TOWER', '27 JOHN STREET'],
    ],
    [
      'sub-building alone, before the PO box',
      { subBuildingName: 'Flat 3', poBoxNumber: '7' },
      ['FLAT 3', 'PO BOX 7'],
    ],
  ]

  test.each(rules)('%s', (_, address, lines) => {
    const [line1, line2, line3] = lines
    expect(makeStructuredLines({ ...address, ...swansea })).toEqual({
      line1,
      ...(line2 && { line2 }),
      ...(line3 && { line3 }),
      ...printed,
    })
  })

  const name = fc.oneof(
    fc.constantFrom(
      'Elm Court',
      'Elm Court 1A',
      'Unit 2B',
      '12A',
      'C',
      'Flat 4',
      '10',
      'Lodge 1/2',
    ),
    fc.constantFrom(
      "Miller's",
      'Back of 7',
      'Stall 3',
      '12to14',
      'Rear 2-4',
      '5.5',
      'Elm, The',
      'ß',
    ),
    fc.stringMatching(/^[A-Za-z0-9/.&-]{1,8}( [A-Za-z0-9/.&-]{1,8}){0,3}$/),
  )
  const addresses = fc.record(
    Object.fromEntries(
      structuredAddressFields
        .filter(
          (field) =>
            !['postcode', 'dps', 'country', 'language', 'uprn', 'udprn', 'postTown'].includes(
              field,
            ),
        )
        .map((field) => [field, fc.option(name, { nil: undefined, freq: 2 })]),
    ),
  )
  test("like the issuing agency's converter, unless that converter drops a text", () => {
    const numRuns = byEffort({ landing: 1_500, full: 30_000 })
    let comparedCount = 0
    fc.assert(
      fc.property(addresses, (address) => {
        const { line1, line2, line3, line4 } = convertStructuredToUnstructured(address)
        const expected = [line1, line2, line3, line4]
        const given = Object.values(address).join('') + (address.poBoxNumber ? 'POBOX' : '')
        if (!line1 || unspaced(expected.join('')).length < unspaced(given).length) return
        if (expected.some((line) => line && [...line].length > 45)) return
        comparedCount += 1
        const ours = makeStructuredLines({ ...address, ...swansea })
        expect([ours.line1, ours.line2, ours.line3, ours.line4]).toEqual(expected)
      }),
      { numRuns },
    )
    expect(comparedCount).toBeGreaterThan(numRuns / 4)
  })
})

function unspaced(text: string): string {
  return text.replaceAll(/\s/g, '').toUpperCase()
}

describe('an address with more elements than four lines hold', () => {
  const full = {
    organisationName: 'Cath Ltd',
    departmentName: 'Sales',
    subBuildingName: 'Flat 3',
    buildingName: 'The Tower',
    buildingNumber: '27',
    dependentThoroughfareName: 'Back Lane',
    thoroughfareName: 'John Street',
    doubleDependentLocality: 'Lowmoor',
    dependentLocality: 'Winterbourne',
  }
  const long = (letter: string) => letter.repeat(40)

  test.each([
    [
      'localities are joined first',
      { ...full, organisationName: null, departmentName: '', dependentThoroughfareName: 'null' },
      ['FLAT 3', 'THE TOWER', '27 JOHN STREET', 'LOWMOOR, WINTERBOURNE'],
    ],
    [
      'then department to organisation, premises, streets',
      full,
      [
        'CATH LTD, SALES',
        'FLAT 3, THE TOWER',
        '27 BACK LANE, JOHN STREET',
        'LOWMOOR, WINTERBOURNE',
      ],
    ],
    [
      'then any neighbours, from the top',
      {
        organisationName: 'Cath Ltd',
        poBoxNumber: '7',
        buildingName: 'The Tower',
        buildingNumber: '27',
        thoroughfareName: 'John Street',
        dependentLocality: 'Lowmoor',
      },
      ['CATH LTD, PO BOX 7', 'THE TOWER', '27 JOHN STREET', 'LOWMOOR'],
    ],
    [
      'what does not fit together is dropped, head before street',
      {
        ...full,
        organisationName: long('O'),
        departmentName: long('D'),
        doubleDependentLocality: long('L'),
        thoroughfareName: long('T'),
      },
      [long('O'), 'FLAT 3, THE TOWER, 27 BACK LANE', long('T'), 'WINTERBOURNE'],
    ],
    [
      'premises and the numbered line stay to the last',
      {
        ...full,
        poBoxNumber: '7',
        subBuildingName: long('S'),
        buildingName: long('B'),
        thoroughfareName: long('T'),
        dependentLocality: long('L'),
      },
      [long('S'), long('B'), '27 BACK LANE', long('T')],
    ],
    [
      'a locality without a number is dropped before the organisation',
      {
        organisationName: long('O'),
        departmentName: long('D'),
        poBoxNumber: '7',
        buildingName: long('B'),
        doubleDependentLocality: long('L'),
        dependentLocality: long('M'),
      },
      [long('O'), 'PO BOX 7', long('B'), long('M')],
    ],
    [
      'a locality that carries the number is not dropped',
      {
        organisationName: long('O'),
        poBoxNumber: '7',
        subBuildingName: long('S'),
        buildingName: long('B'),
        buildingNumber: '27',
        doubleDependentLocality: 'Lowmoor',
        dependentLocality: long('L'),
      },
      ['PO BOX 7', long('S'), long('B'), '27 LOWMOOR'],
    ],
  ])('%s', (_, address, lines) => {
    const { line1, line2, line3, line4, line5 } = makeStructuredLines({ ...address, ...swansea })
    expect([line1, line2, line3, line4]).toEqual(lines)
    expect(line5).toBe('SWANSEA')
  })

  test('has an element that is too long cut after a word, and keeps the number with its street', () => {
    expect(
      makeStructuredLines({
        organisationName: `${'O'.repeat(30)} ${'P'.repeat(20)}`,
        buildingNumber: '27',
        thoroughfareName: 'T'.repeat(80),
        ...swansea,
      }),
    ).toEqual({ line1: 'O'.repeat(30), line2: `27 ${'T'.repeat(42)}`, ...printed })
  })
})

describe('town, postcode and delivery point suffix', () => {
  test.each([
    [
      'the town is line 1 when there is nothing else',
      { postTown: 'Bath' },
      { line1: 'BATH', dps: null },
    ],
    [
      'the suffix goes with a full postcode',
      { thoroughfareName: 'A', postcode: 'sa11aa', dps: '1a' },
      { line1: 'A', postcode: 'SA1 1AA', dps: '1A' },
    ],
    [
      'the suffix is dropped without one',
      { thoroughfareName: 'A', postcode: 'SA1', dps: '1A' },
      { line1: 'A', postcode: 'SA1', dps: null },
    ],
    [
      'the country is not printed',
      { thoroughfareName: 'A', country: 'Wales', postTown: 'Bath' },
      { line1: 'A', line5: 'BATH', dps: null },
    ],
    ['blanks only', { thoroughfareName: ' ', buildingName: 'null' }, { line1: '-', dps: null }],
  ])('%s', (_, address, lines) => {
    expect(makeStructuredLines(address)).toEqual(lines)
  })
})

describe('hostile building names', () => {
  test.each([
    ['regular expression syntax', 'Unit 1(2', ['UNIT 1(2', 'HIGH STREET']],
    [
      'a group that would not end',
      `FLAT 1${'A'.repeat(30)} 1(A+)+2`,
      [`FLAT 1${'A'.repeat(30)} 1(A+)+2`, 'HIGH STREET'],
    ],
    ['syntax before the last word', 'Elm (East) 1A', ['ELM (EAST)', '1A HIGH STREET']],
    ['a huge last word', `ELM ${'1'.repeat(5_000_000)}`, [`ELM ${'1'.repeat(41)}`, 'HIGH STREET']],
    ['replacement patterns', "Elm $& $' 1$2", ["ELM $& $' 1$2", 'HIGH STREET']],
  ])('%s', (_, buildingName, [line1, line2]) => {
    expect(
      makeStructuredLines({ buildingName, thoroughfareName: 'High Street', ...swansea }),
    ).toEqual({ line1, line2, ...printed })
  })
})
