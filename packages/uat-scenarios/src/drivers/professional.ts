import type { Cpc, TachoCard, TestPass } from '@despatch/domain/driver/driver-record'
import { day } from '../day.ts'
import { type DriverScenario, driver } from '../driver-scenario.ts'

/** CPC: certificates of professional competence. TACHO: tachograph cards. TESTPASS: passed tests. */
export const professionalDrivers: readonly DriverScenario[] = [
  driver({ lastName: 'CPC', day: 1 }, 'CPC for goods and passengers, international', (now) => ({
    cpcs: cpcs(now),
  })),
  driver({ lastName: 'CPC', day: 2 }, 'CPC, national: true', (now) => ({
    cpcs: [{ lgvValidTo: day(now, { years: 4 }), national: true }],
  })),
  driver({ lastName: 'CPC', day: 3 }, 'CPC without the member national', (now) => ({
    cpcs: [{ lgvValidTo: day(now, { years: 2 }) }],
  })),
  driver({ lastName: 'CPC', day: 4 }, 'CPC for passengers alone', (now) => ({
    cpcs: [{ pcvValidTo: day(now, { years: 2 }), national: false }],
  })),
  driver({ lastName: 'CPC', day: 5 }, 'CPC that has run out', (now) => ({
    cpcs: [{ lgvValidTo: day(now, { days: -1 }), national: false }],
  })),
  driver({ lastName: 'CPC', day: 6 }, 'Two CPCs: one international, one national', (now) => ({
    cpcs: [
      { lgvValidTo: day(now, { years: 1 }), national: false },
      { pcvValidTo: day(now, { years: 4 }), national: true },
    ],
  })),
  driver({ lastName: 'CPC', day: 7 }, 'No CPC', () => ({ cpcs: [] })),
  driver({ lastName: 'CPC', day: 8 }, 'CPC and tachograph card', (now) => ({
    cpcs: cpcs(now),
    tachoCards: tachoCards(now),
  })),
  driver({ lastName: 'TACHO', day: 1 }, 'A tachograph card', (now) => ({
    tachoCards: tachoCards(now),
  })),
  driver({ lastName: 'TACHO', day: 2 }, 'A card under a previous number', (now) => ({
    tachoCards: tachoCards(now),
    tachoUnderPreviousDln: true,
    previousDrivingLicences: [{ drivingLicenceNumber: 'ELDER701020UA9TT', lastName: 'ELDER' }],
  })),
  driver({ lastName: 'TACHO', day: 3 }, 'A card under the current number, said so', (now) => ({
    tachoCards: tachoCards(now),
    tachoUnderPreviousDln: false,
  })),
  driver({ lastName: 'TACHO', day: 4 }, 'Two cards, one of them expired', (now) => ({
    tachoCards: [
      ...tachoCards(now),
      {
        cardNumber: 'DB12345678900000',
        cardStatus: 'DISPATCHED',
        cardStartOfValidityDate: day(now, { years: -6 }),
        cardExpiryDate: day(now, { years: -1 }),
      },
    ],
  })),
  driver({ lastName: 'TACHO', day: 5 }, 'No card', () => ({ tachoCards: [] })),
  ...testPasses().map(({ title, testPass }, index) =>
    driver({ lastName: 'TESTPASS', day: index + 1 }, title, (now) => ({ testPass: testPass(now) })),
  ),
]

/** An international certificate for goods and passenger vehicles. */
export function cpcs(now: Date): Cpc[] {
  return [
    { lgvValidTo: day(now, { years: 3 }), pcvValidTo: day(now, { years: 3 }), national: false },
  ]
}

/** A card that is valid for five years, starting a year ago. */
export function tachoCards(now: Date): TachoCard[] {
  return [
    {
      cardNumber: 'DB12345678901000',
      cardStatus: 'DISPATCHED',
      cardStartOfValidityDate: day(now, { years: -1 }),
      cardExpiryDate: day(now, { years: 4, days: -1 }),
    },
  ]
}

function testPasses(): { title: string; testPass: (now: Date) => TestPass[] }[] {
  const pass = (now: Date, status: string, withAutomaticTransmission = false): TestPass => ({
    categoryCode: 'B',
    testDate: day(now, { months: -2 }),
    status,
    withAutomaticTransmission,
  })
  return [
    { title: 'A test pass, claimed', testPass: (now) => [pass(now, 'Claimed')] },
    { title: 'A test pass, unclaimed', testPass: (now) => [pass(now, 'Unclaimed')] },
    { title: 'A test pass, cancelled', testPass: (now) => [pass(now, 'Cancelled')] },
    {
      title: 'A test passed with automatic transmission',
      testPass: (now) => [pass(now, 'Claimed', true)],
    },
    {
      title: 'Two test passes',
      testPass: (now) => [
        pass(now, 'Unclaimed'),
        { ...pass(now, 'Claimed'), categoryCode: 'C', testDate: day(now, { years: -1 }) },
      ],
    },
  ]
}
