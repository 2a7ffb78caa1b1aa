import { describe, expect, test } from 'vitest'
import {
  findOffence,
  offenceLegalLiteral,
  type PenaltyPointsFacts,
  penaltyPointsExpiryDate,
} from './offence-codes.ts'
import { offences } from './offences.ts'

const literals: [code: string, literal: string | undefined][] = [
  ['SP30', 'Exceeding statutory speed limit on a public road'],
  ['IN10', 'Using a vehicle uninsured against third party risks'],
  [
    'IN12',
    'Aiding, abetting, counselling or procuring: Using a vehicle uninsured against third party risks',
  ],
  ['IN14', 'Causing or permitting: Using a vehicle uninsured against third party risks'],
  ['IN16', 'Inciting: Using a vehicle uninsured against third party risks'],
  ['IN18', undefined],
  ['CD33', 'Causing serious injury by careless or inconsiderate driving'],
  [
    'CD36',
    'Inciting: Driving without due care and attention or without reasonable consideration for other road users',
  ],
  ['TT94', undefined],
  ['SP3', undefined],
  ['sp30', undefined],
  ['XX20', undefined],
  ['', undefined],
  ['2', undefined],
]

test.for(literals)('offence %j reads %j', ([code, literal]) => {
  expect(offenceLegalLiteral(code)).toBe(literal)
})

test('an offence of causing or permitting has the points of the main offence', () => {
  expect(findOffence('DR14')).toEqual({
    legalLiteral:
      'Causing or permitting: Driving or attempting to drive with alcohol level above limit',
    penaltyPoints: [3, 11],
    keptYears: 11,
    keptFrom: 'conviction',
  })
})

describe('the list of offences', () => {
  test('has every code in use', () => {
    expect([...offences.keys()].toSorted().join(' ')).toBe(
      'AC10 AC20 AC30 BA10 BA30 BA40 BA60 CD10 CD20 CD30 CD33 CD40 CD50 CD60 CD70 CD80 CD90 ' +
        'CU10 CU20 CU30 CU40 CU50 CU80 DD10 DD40 DD60 DD80 DD90 DG10 DG40 DG60 ' +
        'DR10 DR20 DR30 DR31 DR40 DR50 DR60 DR61 DR70 DR80 DR90 IN10 LC20 LC30 LC40 LC50 ' +
        'MR09 MR19 MR29 MR39 MR49 MR59 MS10 MS20 MS30 MS50 MS60 MS70 MS80 MS90 MW10 ' +
        'PC10 PC20 PC30 SP10 SP20 SP30 SP40 SP50 TS10 TS20 TS30 TS40 TS50 TS60 TS70 TT99 UT50',
    )
  })

  test('keeps drink and drugs offences for 11 years', () => {
    const kept = [...offences].filter(([, { keptYears }]) => keptYears === 11).map(([code]) => code)
    expect(kept.join(' ')).toBe('CD40 CD50 CD60 CD70 DG10 DG60 DR10 DR20 DR30 DR31 DR61 DR80')
  })

  test('has ascending points, from 0 to 11', () => {
    const odd = [...offences].filter(
      ([, { penaltyPoints }]) =>
        penaltyPoints[0] < 0 || penaltyPoints[1] > 11 || penaltyPoints[0] > penaltyPoints[1],
    )
    expect(odd).toEqual([])
  })
})

const dates = { offenceDate: '2024-03-10', convictionDate: '2024-08-21' }

const expiries: [because: string, facts: PenaltyPointsFacts, expires: string | undefined][] = [
  [
    'speeding: 4 years from the offence',
    { offenceCode: 'SP30', ...dates, disqualified: false },
    '2028-03-10',
  ],
  [
    'any disqualification: 4 years from the conviction',
    { offenceCode: 'SP30', ...dates, disqualified: true },
    '2028-08-21',
  ],
  [
    'dangerous driving: 4 years from the conviction',
    { offenceCode: 'DD40', ...dates, disqualified: false },
    '2028-08-21',
  ],
  [
    'drink: 11 years from the conviction',
    { offenceCode: 'DR10', ...dates, disqualified: false },
    '2035-08-21',
  ],
  [
    'drink with a disqualification: 11 years as well',
    { offenceCode: 'DR10', ...dates, disqualified: true },
    '2035-08-21',
  ],
  [
    'in charge after drinking: 4 years from the offence',
    { offenceCode: 'DR40', ...dates, disqualified: false },
    '2028-03-10',
  ],
  [
    'totting up: 4 years from the conviction',
    { offenceCode: 'TT99', ...dates, disqualified: true },
    '2028-08-21',
  ],
  ['inciting', { offenceCode: 'DR16', ...dates, disqualified: false }, '2035-08-21'],
  [
    'a leap day stays in a leap year',
    { offenceCode: 'SP50', offenceDate: '2024-02-29', disqualified: false },
    '2028-02-29',
  ],
  [
    'a leap day ends with February',
    { offenceCode: 'DR10', convictionDate: '2024-02-29', disqualified: false },
    '2035-02-28',
  ],
  [
    'a leap day stays in a leap year that begins a century',
    { offenceCode: 'SP50', offenceDate: '1996-02-29', disqualified: false },
    '2000-02-29',
  ],
  [
    'a leap day ends with February in another year that begins a century',
    { offenceCode: 'SP50', offenceDate: '2096-02-29', disqualified: false },
    '2100-02-28',
  ],
  [
    'no offence date',
    { offenceCode: 'SP30', convictionDate: '2024-08-21', disqualified: false },
    undefined,
  ],
  [
    'no conviction date',
    { offenceCode: 'DR10', offenceDate: '2024-03-10', disqualified: false },
    undefined,
  ],
  ['no such code', { offenceCode: 'XX10', ...dates, disqualified: false }, undefined],
]

test.for(expiries)('points expire: %s', ([, facts, expires]) => {
  expect(penaltyPointsExpiryDate(facts)).toBe(expires)
})
