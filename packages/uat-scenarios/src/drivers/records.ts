import { categoryCodes } from '@despatch/domain/driver/categories'
import type {
  Cpc,
  DriverAddress,
  Entitlement,
  TachoCard,
  TestPass,
} from '@despatch/domain/driver/driver-record'
import { day } from '../day.ts'
import { driverRefusal } from '../driver-refusals.ts'
import { type DriverScenario, driver, driverWithNumber, family } from '../driver-scenario.ts'
import { mobilePhone, noInsurance, speeding } from './offences.ts'

/** An international certificate for goods and passenger vehicles. */
export const cpcs: Cpc[] = [
  { lgvValidTo: day({ years: 3 }), pcvValidTo: day({ years: 3 }), national: false },
]

/** A card that is valid for five years, starting a year ago. */
const card: TachoCard = {
  cardNumber: 'DB12345678901000',
  cardStatus: 'DISPATCHED',
  cardStartOfValidityDate: day({ years: -1 }),
  cardExpiryDate: day({ years: 4, days: -1 }),
}
export const tachoCards = [card]

/** The agency's public test numbers. */
export const publishedDrivers: readonly DriverScenario[] = [
  driverWithNumber(
    {
      drivingLicenceNumber: 'TCAEU610267NO9EK',
      firstNames: 'NATHAN OWEN',
      lastName: 'TCAEUAH',
      gender: 'Male',
      dateOfBirth: '1967-10-26',
    },
    'Full, valid licence with an SP30',
    { endorsements: [speeding] },
  ),
  driverRefusal('JONES712249IP6VV', 'NOTFOUND'),
  driverWithNumber(
    {
      drivingLicenceNumber: 'BTJMG803070FY9WJ',
      firstNames: 'FRANK YORICK',
      lastName: 'BTJMG',
      gender: 'Male',
      dateOfBirth: '1980-03-07',
    },
    'CPC and tachograph card',
    {
      entitlement: [
        { ...held('B'), fromDate: '1998-03-07', expiryDate: '2050-03-06' },
        { ...held('C'), fromDate: '2004-05-10', expiryDate: day({ years: 3 }) },
      ],
      cpcs,
      tachoCards,
    },
  ),
]

/** CLEAN: no endorsements. POINTS: endorsements without a disqualification. */
export const endorsementDrivers: readonly DriverScenario[] = [
  ...family('CLEAN', [['No endorsements: an empty array', {}]]),
  ...family('POINTS', [
    ['One endorsement: SP30, 3 points', { endorsements: [speeding] }],
    [
      'Three endorsements, 15 points in all',
      { endorsements: [speeding, mobilePhone, noInsurance] },
    ],
    [
      'An endorsement whose points end tomorrow',
      {
        endorsements: [
          {
            ...speeding,
            offenceDate: day({ years: -4, days: 1 }),
            convictionDate: day({ years: -4, months: 1, days: 1 }),
            sentenceDate: day({ years: -4, months: 1, days: 1 }),
            penaltyPointsExpiryDate: day({ days: 1 }),
          },
        ],
      },
    ],
    ['An endorsement with nothing but its code', { endorsements: [{ offenceCode: 'SP50' }] }],
  ]),
]

/** RESTRICTED: information codes. CATEGORY: which entitlements are held. */
export const entitlementDrivers: readonly DriverScenario[] = [
  ...family('RESTRICTED', [
    ['Eyesight correction (01)', { entitlement: [held('B', '01')] }],
    ['Automatic transmission (78)', { entitlement: [held('B', '78')] }],
    [
      'Several restrictions on one entitlement',
      { entitlement: [held('B', '01', '10', '40', '44(04)')] },
    ],
    ['Tricycles only (79(03))', { entitlement: [held('A', '79(03)'), held('B')] }],
    [
      'Not for hire or reward, 8,250 kg (101, 107)',
      { entitlement: [held('B'), held('C1E', '107'), held('D1', '101')] },
    ],
  ]),
  ...family('CATEGORY', [
    ['Every category', { entitlement: categoryCodes.map((code) => held(code)) }],
    [
      'Full and provisional entitlements',
      { entitlement: [held('B'), { ...held('C'), categoryType: 'Provisional' }] },
    ],
    ['No entitlement: an empty array', { entitlement: [] }],
    [
      'An entitlement without dates',
      { entitlement: [{ categoryCode: 'B', categoryType: 'Full' }] },
    ],
    [
      'An entitlement that ended yesterday',
      { entitlement: [held('B'), { ...held('C'), expiryDate: day({ days: -1 }) }] },
    ],
    ['A token without dates or issue number', { token: {} }],
  ]),
]

/** PERSON: data about the driver. */
export const personDrivers: readonly DriverScenario[] = [
  ...family('PERSON', [
    ['A man', {}],
    [
      'Five address lines',
      addressed({
        line1: 'FLAT 3',
        line2: 'SCENARIO HOUSE',
        line3: '12 TEST STREET',
        line4: 'MORRISTON',
        line5: 'SWANSEA',
        postcode: 'SA6 7JL',
      }),
    ],
    ['An address without postcode', addressed({ line1: '1 TEST STREET', line2: 'SWANSEA' })],
    ['A postcode and no lines', addressed({ postcode: 'SA6 7JL' })],
    [
      'A previous licence under another name',
      {
        previousDrivingLicences: [
          {
            drivingLicenceNumber: 'MAIDE701050UA9TT',
            firstNames: 'ULRIC ADAM',
            lastName: 'MAIDEN',
            dateOfBirth: '1970-01-05',
          },
        ],
      },
    ],
  ]).toSpliced(
    1,
    0,
    driver(
      { lastName: 'PERSON', day: 1, gender: 'Female' },
      'A woman: month of birth + 50 in the number',
      {},
    ),
  ),
  driverWithNumber(
    {
      drivingLicenceNumber: 'PERSO701060999TT',
      lastName: 'PERSON',
      gender: 'Male',
      dateOfBirth: '1970-01-06',
    },
    'No first names: 99 in the number',
    {},
  ),
  ...family('OX', [['A surname shorter than five letters', {}]]),
]

/** CPC: certificates of professional competence. TACHO: tachograph cards. TESTPASS: passed tests. */
export const professionalDrivers: readonly DriverScenario[] = [
  ...family('CPC', [
    ['CPC for goods and passengers, international', { cpcs }],
    ['CPC, national: true', { cpcs: [{ lgvValidTo: day({ years: 4 }), national: true }] }],
    ['CPC without the member national', { cpcs: [{ lgvValidTo: day({ years: 2 }) }] }],
    ['CPC for passengers alone', { cpcs: [{ pcvValidTo: day({ years: 2 }), national: false }] }],
    ['CPC that has run out', { cpcs: [{ lgvValidTo: day({ days: -1 }), national: false }] }],
    [
      'Two CPCs: one international, one national',
      {
        cpcs: [
          { lgvValidTo: day({ years: 1 }), national: false },
          { pcvValidTo: day({ years: 4 }), national: true },
        ],
      },
    ],
    ['No CPC', { cpcs: [] }],
    ['CPC and tachograph card', { cpcs, tachoCards }],
  ]),
  ...family('TACHO', [
    ['A tachograph card', { tachoCards }],
    [
      'A card under a previous number',
      {
        tachoCards,
        tachoUnderPreviousDln: true,
        previousDrivingLicences: [{ drivingLicenceNumber: 'ELDER701020UA9TT', lastName: 'ELDER' }],
      },
    ],
    ['A card under the current number, said so', { tachoCards, tachoUnderPreviousDln: false }],
    [
      'Two cards, one of them expired',
      {
        tachoCards: [
          card,
          {
            cardNumber: 'DB12345678900000',
            cardStatus: 'DISPATCHED',
            cardStartOfValidityDate: day({ years: -6 }),
            cardExpiryDate: day({ years: -1 }),
          },
        ],
      },
    ],
    ['No card', { tachoCards: [] }],
  ]),
  ...family('TESTPASS', [
    ['A test pass, claimed', { testPass: [passed('Claimed')] }],
    ['A test pass, unclaimed', { testPass: [passed('Unclaimed')] }],
    ['A test pass, cancelled', { testPass: [passed('Cancelled')] }],
    [
      'A test passed with automatic transmission',
      { testPass: [{ ...passed('Claimed'), withAutomaticTransmission: true }] },
    ],
    [
      'Two test passes',
      {
        testPass: [
          passed('Unclaimed'),
          { ...passed('Claimed'), categoryCode: 'C', testDate: day({ years: -1 }) },
        ],
      },
    ],
  ]),
]

function held(categoryCode: string, ...restrictionCodes: readonly string[]): Entitlement {
  return {
    categoryCode,
    categoryType: 'Full',
    fromDate: '1988-01-01',
    expiryDate: '2039-12-31',
    ...(restrictionCodes.length > 0 && {
      restrictions: restrictionCodes.map((restrictionCode) => ({ restrictionCode })),
    }),
  }
}

function addressed(unstructuredAddress: DriverAddress) {
  return { driver: { address: { unstructuredAddress } } }
}

function passed(status: string): TestPass {
  return {
    categoryCode: 'B',
    testDate: day({ months: -2 }),
    status,
    withAutomaticTransmission: false,
  }
}
