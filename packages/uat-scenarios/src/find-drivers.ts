import type { Driver, DriverRecord } from '@despatch/domain/driver/driver-record'
import { drivingLicenceNumberOf } from '@despatch/domain/driver/driving-licence-number'

type Found = {
  firstNames?: string
  lastName: string
  gender: Driver['gender']
  dateOfBirth: string
  postcode: string
  /** Distinguishes drivers whose numbers would otherwise be the same. */
  fourteenth?: string
} & Pick<DriverRecord, 'previousDrivingLicences' | 'photograph'>

/** People whose names sound alike or contain one another. Each family shares one birthday and one postcode. */
const smith = { gender: 'Male', dateOfBirth: '1980-02-10', postcode: 'SA6 7AA' } as const
const brien = { gender: 'Male', dateOfBirth: '1975-03-20', postcode: 'SA6 7AB' } as const
const donald = { gender: 'Female', dateOfBirth: '1972-11-05', postcode: 'SA6 7AD' } as const
const saint = { gender: 'Male', dateOfBirth: '1969-08-30', postcode: 'SA6 7AE' } as const
const garcia = { gender: 'Male', dateOfBirth: '1990-12-01', postcode: 'SA6 7AF' } as const
const thomson = { gender: 'Female', dateOfBirth: '1988-07-07', postcode: 'SA6 7AG' } as const
const unwin = { gender: 'Female', dateOfBirth: '1993-04-14', postcode: 'SA6 7AH' } as const

export const namesakes = {
  smith: aDriver({ ...smith, firstNames: 'OLIVER', lastName: 'SMITH' }),
  smyth: aDriver({ ...smith, firstNames: 'OLIVER', lastName: 'SMYTH' }),
  smythe: aDriver({ ...smith, firstNames: 'OLIVER', lastName: 'SMYTHE', fourteenth: '8' }),
  smithJones: aDriver({ ...smith, firstNames: 'OLIVER', lastName: 'SMITH-JONES', fourteenth: '8' }),
  jonesSmith: aDriver({ ...smith, firstNames: 'OLIVER', lastName: 'JONES-SMITH' }),
  smithson: aDriver({ ...smith, firstNames: 'OLIVER', lastName: 'SMITHSON', fourteenth: '7' }),
  oBrien: aDriver({ ...brien, firstNames: 'LIAM', lastName: "O'BRIEN" }),
  obrien: aDriver({ ...brien, firstNames: 'LIAM', lastName: 'OBRIEN', fourteenth: '8' }),
  macDonald: aDriver({ ...donald, firstNames: 'FIONA', lastName: 'MACDONALD' }),
  mcDonald: aDriver({ ...donald, firstNames: 'FIONA', lastName: 'MCDONALD', fourteenth: '8' }),
  stJohn: aDriver({ ...saint, firstNames: 'HENRY', lastName: 'ST JOHN' }),
  saintJohn: aDriver({ ...saint, firstNames: 'HENRY', lastName: 'SAINT JOHN' }),
  joseWithAccent: aDriver({ ...garcia, firstNames: 'JOSÉ', lastName: 'GARCÍA' }),
  jose: aDriver({ ...garcia, firstNames: 'JOSE', lastName: 'GARCIA', fourteenth: '8' }),
  thompson: aDriver({ ...thomson, firstNames: 'EMMA', lastName: 'THOMPSON' }),
  thomson: aDriver({ ...thomson, firstNames: 'EMMA', lastName: 'THOMSON', fourteenth: '8' }),
  catherine: aDriver({ ...unwin, firstNames: 'CATHERINE', lastName: 'UNWIN' }),
  kathryn: aDriver({ ...unwin, firstNames: 'KATHRYN', lastName: 'UNWIN' }),
}

/** A drawn portrait of 24 by 32 pixels: a JPEG in base64. */
const portrait =
  '/9j/2wBDABsbGxscGx4hIR4qLSgtKj04MzM4PV1CR0JHQl2NWGdYWGdYjX2Xe3N7l33gsJycsOD/2c7Z////////////////2wBDARsbGxscGx4hIR4qLSgtKj04MzM4PV1CR0JHQl2NWGdYWGdYjX2Xe3N7l33gsJycsOD/2c7Z////////////////wgARCAAgABgDASIAAhEBAxEB/8QAGAABAQEBAQAAAAAAAAAAAAAAAAUDBAb/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIQAxAAAAC5ijF9iEzn5z0aIP/EACEQAAEDAgcBAAAAAAAAAAAAAAMBAhEAEgQQExQxQYGh/9oACAEBAAE/AK1w3RemR7tF8cxkC7RZPMUY4wpL18rdAvnb/aCcZkli+Vinq85J6WMsK9WHHHaxX//EABQRAQAAAAAAAAAAAAAAAAAAACD/2gAIAQIBAT8AH//EABQRAQAAAAAAAAAAAAAAAAAAACD/2gAIAQMBAT8AH//Z'

export const particulars = {
  /** PEMBERTON on a previous licence. */
  renamed: aDriver({
    firstNames: 'GRACE MAY',
    lastName: 'HOLLOWAY',
    gender: 'Female',
    dateOfBirth: '1986-09-18',
    postcode: 'SA6 7AJ',
    previousDrivingLicences: [
      {
        drivingLicenceNumber: 'PEMBE859186GM9TT',
        firstNames: 'GRACE MAY',
        lastName: 'PEMBERTON',
        dateOfBirth: '1986-09-18',
      },
    ],
  }),
  /** Day and month of birth are swapped on a previous licence. */
  reborn: aDriver({
    firstNames: 'PETER',
    lastName: 'WINTERBOURNE',
    gender: 'Male',
    dateOfBirth: '1982-06-12',
    postcode: 'SA6 7AL',
    previousDrivingLicences: [
      {
        drivingLicenceNumber: 'WINTE812062P99TT',
        firstNames: 'PETER',
        lastName: 'WINTERBOURNE',
        dateOfBirth: '1982-12-06',
      },
    ],
  }),
  wholePostcode: aDriver({
    firstNames: 'WENDY',
    lastName: 'PARTRIDGE',
    gender: 'Female',
    dateOfBirth: '1978-01-25',
    postcode: 'SA6 7JL',
  }),
  partialPostcode: aDriver({
    firstNames: 'WENDY',
    lastName: 'PARTRIDGE',
    gender: 'Female',
    dateOfBirth: '1978-01-25',
    postcode: 'SA6',
    fourteenth: '8',
  }),
  photographed: aDriver({
    firstNames: 'IRIS',
    lastName: 'PORTRAIT',
    gender: 'Female',
    dateOfBirth: '1995-10-31',
    postcode: 'SA6 7AN',
    photograph: portrait,
  }),
  noPhotograph: aDriver({
    firstNames: 'IRIS',
    lastName: 'PORTRAIT',
    gender: 'Female',
    dateOfBirth: '1995-10-31',
    postcode: 'SA6 7AN',
    fourteenth: '8',
  }),
  noFirstNames: aDriver({
    lastName: 'MONONYM',
    gender: 'Male',
    dateOfBirth: '1991-05-05',
    postcode: 'SA6 7AP',
  }),
}

/** One search finds all of them. They differ in the year of birth, the eldest first. */
export const manifolds: readonly DriverRecord[] = Array.from({ length: 75 }, (_, index) =>
  aDriver({
    firstNames: 'MILES',
    lastName: 'MANIFOLD',
    gender: 'Male',
    dateOfBirth: `${1930 + index}-09-09`,
    postcode: 'SA6 7AQ',
  }),
)

/** The drivers that driver find searches in the test environment. */
export const uatFindDrivers: readonly DriverRecord[] = [
  ...Object.values(namesakes),
  ...Object.values(particulars),
  ...manifolds,
]

function aDriver({
  postcode,
  fourteenth = '9',
  previousDrivingLicences,
  photograph,
  ...holder
}: Found): DriverRecord {
  return {
    driver: {
      drivingLicenceNumber: drivingLicenceNumberOf(holder, { fourteenth, checkLetters: 'TT' }),
      ...holder,
      address: { unstructuredAddress: { line1: '1 TEST STREET', line2: 'SWANSEA', postcode } },
    },
    licence: { type: 'Full', status: 'Valid' },
    entitlement: [{ categoryCode: 'B', categoryType: 'Full' }],
    endorsements: [],
    token: { issueNumber: '01' },
    ...(previousDrivingLicences && { previousDrivingLicences }),
    ...(photograph !== undefined && { photograph }),
  }
}
