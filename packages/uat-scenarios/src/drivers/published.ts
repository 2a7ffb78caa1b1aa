import { day } from '../day.ts'
import { driverRefusal } from '../driver-refusals.ts'
import { type DriverScenario, driverWithNumber } from '../driver-scenario.ts'
import { speeding } from './endorsements.ts'
import { cpcs, tachoCards } from './professional.ts'

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
    (now) => ({ endorsements: [speeding(now)] }),
  ),
  driverRefusal('JONES712249IP6VV', 'driver-not-found'),
  driverWithNumber(
    {
      drivingLicenceNumber: 'BTJMG803070FY9WJ',
      firstNames: 'FRANK YORICK',
      lastName: 'BTJMG',
      gender: 'Male',
      dateOfBirth: '1980-03-07',
    },
    'CPC and tachograph card',
    (now) => ({
      entitlement: [
        {
          categoryCode: 'B',
          categoryType: 'Full',
          fromDate: '1998-03-07',
          expiryDate: '2050-03-06',
        },
        {
          categoryCode: 'C',
          categoryType: 'Full',
          fromDate: '2004-05-10',
          expiryDate: day(now, { years: 3 }),
        },
      ],
      cpcs: cpcs(now),
      tachoCards: tachoCards(now),
    }),
  ),
]
