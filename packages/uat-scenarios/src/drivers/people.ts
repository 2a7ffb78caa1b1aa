import type { DriverAddress } from '@despatch/domain/driver/driver-record'
import { type DriverScenario, driver, driverWithNumber, type Person } from '../driver-scenario.ts'

/** PERSON: data about the driver. */
export const personDrivers: readonly DriverScenario[] = [
  driver(person(1, 'Male'), 'A man', () => ({})),
  driver(person(1, 'Female'), 'A woman: month of birth + 50 in the number', () => ({})),
  driver(person(2), 'Five address lines', () => ({
    driver: addressed({
      line1: 'FLAT 3',
      line2: 'SCENARIO HOUSE',
      line3: '12 TEST STREET',
      line4: 'MORRISTON',
      line5: 'SWANSEA',
      postcode: 'SA6 7JL',
    }),
  })),
  driver(person(3), 'An address without postcode', () => ({
    driver: addressed({ line1: '1 TEST STREET', line2: 'SWANSEA' }),
  })),
  driver(person(4), 'A postcode and no lines', () => ({
    driver: addressed({ postcode: 'SA6 7JL' }),
  })),
  driver(person(5), 'A previous licence under another name', () => ({
    previousDrivingLicences: [
      {
        drivingLicenceNumber: 'MAIDE701050UA9TT',
        firstNames: 'ULRIC ADAM',
        lastName: 'MAIDEN',
        dateOfBirth: '1970-01-05',
      },
    ],
  })),
  driverWithNumber(
    {
      drivingLicenceNumber: 'PERSO701060999TT',
      lastName: 'PERSON',
      gender: 'Male',
      dateOfBirth: '1970-01-06',
    },
    'No first names: 99 in the number',
    () => ({}),
  ),
  driver({ lastName: 'OX', day: 1 }, 'A surname shorter than five letters', () => ({})),
]

function person(day: number, gender: 'Male' | 'Female' = 'Male'): Person {
  return { lastName: 'PERSON', day, gender }
}

function addressed(unstructuredAddress: DriverAddress) {
  return { address: { unstructuredAddress } }
}
