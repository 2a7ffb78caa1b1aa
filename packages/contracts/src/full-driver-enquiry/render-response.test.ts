import type { Endorsement } from '@despatch/domain/driver/driver-record'
import {
  disqualificationTypes,
  genders,
  licenceStatuses,
  licenceStatusQualifiers,
  licenceTypes,
} from '@despatch/domain/driver/values'
import { expect, test } from 'vitest'
import { type EnquiredDriver, renderRetrieveResponse } from './render-response.ts'
import { retrieveResponseSchema } from './retrieve-response.ts'

function aDriver(detail: Partial<EnquiredDriver> = {}): EnquiredDriver {
  return {
    driver: {
      drivingLicenceNumber: 'MORGA657054SM9IJ',
      firstNames: 'SARAH MEREDYTH',
      lastName: 'MORGAN',
      gender: 'Female',
      dateOfBirth: '1964-07-05',
      address: { unstructuredAddress: { line1: '1 HIGH STREET', postcode: 'SA1 1AA' } },
    },
    licence: { type: 'Full', status: 'Valid' },
    entitlement: [],
    endorsements: [],
    token: { validFromDate: '2020-01-02', validToDate: '2030-01-01', issueNumber: '03' },
    ...detail,
  }
}

const nothingElse = { missing: [] }

function endorsementsOf(...endorsements: Endorsement[]) {
  return renderRetrieveResponse(aDriver({ endorsements }), nothingElse).endorsements
}

test('a response has driver, licence, entitlement, endorsements and token, and leaves out unknown members', () => {
  const stored = { ...aDriver(), photograph: 'AAAA', cpcs: [], previousDrivingLicences: [] }

  expect(renderRetrieveResponse(stored, nothingElse)).toEqual({
    driver: stored.driver,
    licence: { type: 'Full', status: 'Valid' },
    entitlement: [],
    endorsements: [],
    token: { validFromDate: '2020-01-02', validToDate: '2030-01-01', issueNumber: '03' },
  })
})

test('a code without a text gets one, and a text of the record is kept', () => {
  const { entitlement, endorsements } = renderRetrieveResponse(
    aDriver({
      entitlement: [
        {
          categoryCode: 'H',
          categoryType: 'Full',
          fromDate: '1990-01-01',
          restrictions: [
            { restrictionCode: '01' },
            { restrictionCode: '78', restrictionLiteral: 'as kept' },
            { restrictionCode: '999' },
          ],
        },
        { categoryCode: 'P', categoryLegalLiteral: 'as kept', categoryType: 'Provisional' },
        { categoryCode: 'ZZ', categoryType: 'Full' },
      ],
      endorsements: [
        { offenceCode: 'SP30', sentenceDate: '2024-03-01' },
        { offenceCode: 'SP30', offenceLegalLiteral: 'as kept', sentenceDate: '2024-02-01' },
        { offenceCode: 'XX00', sentenceDate: '2024-01-01' },
      ],
    }),
    nothingElse,
  )

  expect(entitlement).toEqual([
    {
      categoryCode: 'H',
      categoryLegalLiteral: 'Tracked vehicles',
      categoryType: 'Full',
      fromDate: '1990-01-01',
      restrictions: [
        { restrictionCode: '01', restrictionLiteral: 'eyesight correction' },
        { restrictionCode: '78', restrictionLiteral: 'as kept' },
        { restrictionCode: '999' },
      ],
    },
    { categoryCode: 'P', categoryLegalLiteral: 'as kept', categoryType: 'Provisional' },
    { categoryCode: 'ZZ', categoryType: 'Full' },
  ])
  expect(endorsements.map(({ offenceLegalLiteral }) => offenceLegalLiteral)).toEqual([
    'Exceeding statutory speed limit on a public road',
    'as kept',
    undefined,
  ])
})

test('endorsements come newest first: by sentence, then conviction, then offence; without the date last', () => {
  const endorsements: Endorsement[] = [
    { penaltyPoints: 6, offenceDate: '2024-06-01' },
    { penaltyPoints: 3, sentenceDate: '2022-05-01', convictionDate: '2022-04-01' },
    { penaltyPoints: 1, sentenceDate: '2023-01-01' },
    { penaltyPoints: 2, sentenceDate: '2022-05-01', convictionDate: '2022-04-02' },
    { penaltyPoints: 7, offenceDate: '2023-06-01' },
    { penaltyPoints: 5, convictionDate: '2025-01-01' },
    { penaltyPoints: 4, sentenceDate: '2022-05-01' },
  ]
  const given = structuredClone(endorsements)

  expect(endorsementsOf(...endorsements).map(({ penaltyPoints }) => penaltyPoints)).toEqual([
    1, 2, 3, 4, 5, 6, 7,
  ])
  expect(endorsements).toEqual(given)
})

const pending = { disqualifiedPendingSentence: true }
const decided = { disqualifiedPendingSentence: false }

test.for<[what: string, stored: Endorsement, told: Endorsement]>([
  [
    'in the disqualification',
    { disqualification: { forLife: false, ...pending } },
    { disqualification: { forLife: false, ...pending }, ...pending },
  ],
  [
    'in the endorsement',
    { disqualification: { years: 1 }, ...pending },
    { disqualification: { years: 1, ...pending }, ...pending },
  ],
  ['in an endorsement alone', pending, { disqualification: pending, ...pending }],
  [
    'in one while the other says no',
    { disqualification: decided, ...pending },
    { disqualification: pending, ...pending },
  ],
  ['nowhere', { disqualification: { months: 6 } }, { disqualification: { months: 6 } }],
  [
    'nowhere, and said so',
    { disqualification: decided, ...decided },
    { disqualification: decided, ...decided },
  ],
])('disqualifiedPendingSentence is true in both places if it is true %s', ([, stored, told]) => {
  expect(endorsementsOf(stored)).toEqual([told])
})

test('every member of an endorsement and its disqualification is returned unchanged', () => {
  const endorsement = {
    offenceCode: 'SP30',
    offenceLegalLiteral: 'Exceeding statutory speed limit on a public road',
    offenceDate: '2024-01-01',
    convictionDate: '2024-02-01',
    sentenceDate: '2024-03-01',
    penaltyPoints: 6,
    penaltyPointsExpiryDate: '2028-01-01',
    disqualification: {
      forLife: false,
      years: 1,
      months: 2,
      days: 3,
      startDate: '2024-03-02',
      disqualificationType: 'Disqualified until Test Pass',
    },
    disqualificationRemovalDate: '2024-04-01',
    disqualificationReimposedDate: '2024-05-01',
    disqualificationSuspendedPendingAppealDate: '2024-06-01',
  } as const

  expect(endorsementsOf(endorsement)).toEqual([endorsement])
})

test('the response has cpc with its cpcs, and testPass beside cpc when the driver has any', () => {
  const cpcs = [{ lgvValidTo: '2028-09-09', pcvValidTo: '2027-01-01', national: true }]
  const pass = { categoryCode: 'H', testDate: '2001-02-03', status: 'Claimed' }
  const respond = (cpc: { cpcs: typeof cpcs; testPass?: (typeof pass)[] }) =>
    renderRetrieveResponse(aDriver(), { cpc, missing: [] })

  const { cpc: told, testPass } = respond({ cpcs, testPass: [pass] })
  expect(told).toEqual({ cpcs })
  expect(testPass).toEqual([{ ...pass, categoryLegalLiteral: 'Tracked vehicles' }])
  for (const none of [{ cpcs: [] }, { cpcs: [], testPass: [] }]) {
    expect(respond(none).cpc).toEqual({ cpcs: [] })
    expect(respond(none)).not.toHaveProperty('testPass')
  }
})

test('the response has tachograph data as holder, with tachoCards and tachoUnderPreviousDln', () => {
  const tachograph = {
    tachoCards: [{ cardNumber: 'DB12345678901000', cardStatus: 'DISPATCHED' }],
    tachoUnderPreviousDln: true,
  }

  expect(renderRetrieveResponse(aDriver(), { tachograph, missing: [] }).holder).toEqual(tachograph)
})

test('a partial response lists the missing data as errors', () => {
  const response = renderRetrieveResponse(aDriver(), {
    tachograph: { tachoCards: [] },
    missing: [{ kind: 'source-timed-out', detail: 'CPC data could not be retrieved' }],
  })

  expect(response).toEqual({
    ...aDriver(),
    holder: { tachoCards: [] },
    errors: [{ status: '504', code: 'GatewayTimeout', detail: 'CPC data could not be retrieved' }],
  })
})

test('a response with every member fits its schema', () => {
  const driver = aDriver({
    driver: {
      ...aDriver().driver,
      disqualifiedForLife: true,
      disqualifiedPendingSentence: true,
      disqualifiedUntil: '2030-01-01',
    },
    entitlement: [
      {
        categoryCode: 'B',
        categoryType: 'Provisional',
        fromDate: '2020-01-01',
        expiryDate: '2030-01-01',
        restrictions: [{ restrictionCode: '79(03)' }],
      },
    ],
    endorsements: disqualificationTypes.map((disqualificationType) => ({
      disqualification: { disqualificationType },
    })),
  })

  const licences = licenceTypes.flatMap((type) =>
    licenceStatuses.flatMap((status) =>
      licenceStatusQualifiers.map((statusQualifier) => ({ type, status, statusQualifier })),
    ),
  )
  for (const [index, licence] of licences.entries()) {
    const gender = genders[index % genders.length]!
    const stored = { ...driver, driver: { ...driver.driver, gender }, licence }
    const response = renderRetrieveResponse(stored, nothingElse)
    expect(retrieveResponseSchema.parse(response)).toEqual(response)
  }
})
