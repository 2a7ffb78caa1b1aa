import { expect, test } from 'vitest'
import { driverRecordSchema } from './driver-record.ts'
import { parseRow } from './parse-row.ts'

type Members = Record<string, unknown>
const aDriver = (members: Members = {}, driver: Members = {}) => ({
  driver: {
    drivingLicenceNumber: 'MORGA657054SM9IJ',
    lastName: 'Morgan',
    gender: 'Male',
    dateOfBirth: '1965-07-05',
    ...driver,
  },
  licence: { type: 'Full', status: 'Valid' },
  entitlement: [],
  endorsements: [],
  token: {},
  ...members,
})
const read = (row: unknown) => parseRow(Buffer.from(JSON.stringify(row)), driverRecordSchema)
const reasonsOf = (row: unknown) => {
  const parsed = read(row)
  return parsed.kind === 'rejected' ? parsed.reasons : []
}

/** A driver with every member that a record may have. */
const wholeDriver = aDriver(
  {
    licence: { type: 'Full', status: 'Disqualified', statusQualifier: 'Until test passed' },
    entitlement: [
      {
        categoryCode: 'B',
        categoryLegalLiteral: 'A text of its own',
        categoryType: 'Full',
        fromDate: '1985-07-05',
        expiryDate: '2035-07-04',
        restrictions: [{ restrictionCode: '79(03)', restrictionLiteral: 'Another' }],
      },
    ],
    endorsements: [
      {
        offenceCode: 'SP30',
        offenceLegalLiteral: 'Speeding',
        offenceDate: '2025-01-01',
        convictionDate: '2025-02-01',
        sentenceDate: '2025-02-02',
        penaltyPoints: 3,
        penaltyPointsExpiryDate: '2029-01-01',
        disqualification: {
          forLife: false,
          years: 1,
          months: 2,
          days: 3,
          startDate: '2025-02-03',
          disqualifiedPendingSentence: true,
          disqualificationType: 'Disqualified until Test Pass',
        },
        disqualificationRemovalDate: '2025-03-01',
        disqualificationReimposedDate: '2025-04-01',
        disqualificationSuspendedPendingAppealDate: '2025-05-01',
        disqualifiedPendingSentence: true,
      },
    ],
    token: { validFromDate: '2020-01-01', validToDate: '2030-01-01', issueNumber: '12' },
    cpcs: [{ lgvValidTo: '2027-01-01', pcvValidTo: '2027-01-01', national: false }],
    testPass: [
      {
        categoryCode: 'C',
        categoryLegalLiteral: 'Goods',
        testDate: '2020-01-01',
        status: 'Passed',
        withAutomaticTransmission: true,
      },
    ],
    tachoCards: [
      {
        cardNumber: 'DB12345678901000',
        cardStatus: 'Valid',
        cardExpiryDate: '2027-01-01',
        cardStartOfValidityDate: '2022-01-01',
      },
    ],
    tachoUnderPreviousDln: false,
    previousDrivingLicences: [
      {
        drivingLicenceNumber: 'HARA9657054SM9IJ',
        firstNames: 'Sam',
        lastName: "O'Hara",
        dateOfBirth: '1965-07-05',
      },
    ],
    photograph: '/9j/',
  },
  {
    firstNames: 'Sam Meredith',
    address: {
      unstructuredAddress: {
        line1: '1 High Street',
        line2: '2',
        line3: '3',
        line4: '4',
        line5: 'Swansea',
        postcode: 'SA1 1AA',
      },
    },
    disqualifiedForLife: true,
    disqualifiedPendingSentence: true,
    disqualifiedUntil: '2030-01-01',
  },
)

test('accepts a driver with every member, unchanged', () => {
  expect(read(wholeDriver)).toEqual({ kind: 'row', row: wholeDriver })
})

test('returns licence numbers in their normal form', () => {
  const previousDrivingLicences = [{ drivingLicenceNumber: 'hara9 657054', lastName: 'Hara' }]

  const parsed = read(
    aDriver({ previousDrivingLicences }, { drivingLicenceNumber: 'morga 657054 sm9ij' }),
  )

  expect(parsed).toMatchObject({
    row: {
      driver: { drivingLicenceNumber: 'MORGA657054SM9IJ' },
      previousDrivingLicences: [{ drivingLicenceNumber: 'HARA9657054' }],
    },
  })
})

test('accepts a licence number that does not match the name, and unknown codes', () => {
  const entitlement = [
    { categoryCode: 'ZZ', categoryType: 'Full', restrictions: [{ restrictionCode: '999' }] },
  ]
  const endorsements = [{ offenceCode: 'XX99' }]

  expect(reasonsOf(aDriver({ entitlement, endorsements }, { lastName: 'Smith' }))).toEqual([])
})

test.for<[reason: string, row: unknown]>([
  [
    'driver.drivingLicenceNumber must be the 16 characters of a driving licence number of Great Britain',
    aDriver({}, { drivingLicenceNumber: '12345678' }),
  ],
  ['driver.lastName must not be empty', aDriver({}, { lastName: '' })],
  ['driver.gender must be one of Male, Female', aDriver({}, { gender: 'male' })],
  [
    'driver.dateOfBirth must be a date that exists, as YYYY-MM-DD',
    aDriver({}, { dateOfBirth: '1965-02-30' }),
  ],
  [
    'driver.address.unstructuredAddress.line2 size must be between 1 and 45',
    aDriver({}, { address: { unstructuredAddress: { line2: 'x'.repeat(46) } } }),
  ],
  ['driver.disqualifiedForLife must be one of true', aDriver({}, { disqualifiedForLife: false })],
  ['endorsements must be an array', aDriver({ endorsements: '[' })],
  [
    'endorsements[1].penaltyPoints must be an integer',
    aDriver({ endorsements: [{}, { penaltyPoints: 1.5 }] }),
  ],
  [
    'entitlement size must be at most 200',
    aDriver({ entitlement: Array(201).fill({ categoryCode: 'B', categoryType: 'Full' }) }),
  ],
  [
    'previousDrivingLicences[0].drivingLicenceNumber must be 5 to 16 letters and digits',
    aDriver({ previousDrivingLicences: [{ drivingLicenceNumber: 'AB', lastName: 'Hara' }] }),
  ],
  ['photograph must be a JPEG in base64', aDriver({ photograph: 'R0lG' })],
])('rejects a record: %s', ([reason, row]) => {
  expect(reasonsOf(row)).toEqual([reason])
})
