import type { EnquiryResponse } from '@despatch/contracts/administration/enquiry'
import { expect, test } from 'vitest'
import type { RecordAnswers } from './ask-about-records.ts'
import { findRecordFaults } from './find-record-faults.ts'
import type { SampleRecords } from './records/sample-records.ts'

test('records that are answered as they were imported, and audited, have no faults', () => {
  expect(findRecordFaults(aSample(), theAnswers())).toEqual([])
})

test.each<{ name: string; spoil: (answers: RecordAnswers) => void; faults: string[] }>([
  {
    name: 'a vehicle of another colour',
    spoil: ({ vehicle }) => {
      vehicle.colour = 'RED'
    },
    faults: ['the vehicle is not answered as it was imported'],
  },
  {
    name: 'a misspelt name that is found as it is written',
    spoil: (answers) => {
      answers.spelt = answers.sounding
    },
    faults: ['a misspelt name that must be matched exactly finds the driver'],
  },
  {
    name: 'a misspelt name that finds nobody',
    spoil: ({ sounding }) => {
      sounding.results = []
    },
    faults: [
      'a misspelt name that sounds alike does not find the driver first',
      'x-total-count tells 1 drivers, found: 0',
    ],
  },
  {
    name: 'an answer that is partial',
    spoil: ({ driver }) => {
      delete driver.cpc
      driver.errors = []
    },
    faults: [
      "the driver's CPC data are not answered as they were imported",
      "the driver's errors are not answered as they were imported",
    ],
  },
  {
    name: 'an enquiry that is not in the audit',
    spoil: ({ audit }) => {
      audit.shift()
    },
    faults: [
      'the audit has driver-find 200, driver-find 200, full-driver-enquiry 200 of the enquiries',
    ],
  },
  {
    name: 'an audit that does not know the number',
    spoil: (answers) => {
      answers.auditOfDriver = []
    },
    faults: ["the audit has 0 rows about the driver's number, not its own"],
  },
  {
    name: 'an audit that tells a number',
    spoil: ({ audit }) => {
      audit[0]!.asked = ['AB12CDE']
    },
    faults: ['the audit tells a number'],
  },
])('$name is a fault', ({ spoil, faults }) => {
  const answers = theAnswers()
  spoil(answers)
  expect(findRecordFaults(aSample(), answers)).toEqual(faults)
})

function aSample(): SampleRecords {
  return {
    files: [],
    vehicle: { registrationNumber: 'AB12CDE', colour: 'BLACK' },
    misspeltLastName: 'Bennet',
    driver: {
      driver: {
        drivingLicenceNumber: 'BENNE604241AM9RF',
        firstNames: 'Alex',
        lastName: 'Bennett',
        gender: 'Male',
        dateOfBirth: '1961-04-24',
      },
      licence: { type: 'Full', status: 'Valid' },
      entitlement: [{ categoryCode: 'B', categoryType: 'Full' }],
      endorsements: [],
      token: { issueNumber: '11' },
      cpcs: [{ lgvValidTo: '2027-01-01', national: false }],
      tachoCards: [{ cardNumber: 'DB00203895526003' }],
    },
  }
}

function theAnswers(): RecordAnswers {
  const { vehicle, driver: record } = aSample()
  const { driver, licence, entitlement, endorsements, token } = record
  const { drivingLicenceNumber, lastName, gender } = driver
  const audit = [
    anEnquiry('1', 'vehicle-enquiry'),
    anEnquiry('2', 'driver-find'),
    anEnquiry('3', 'driver-find'),
    anEnquiry('4', 'full-driver-enquiry'),
  ]
  return {
    vehicle,
    spelt: { results: [], totalCount: '0' },
    sounding: { results: [{ drivingLicenceNumber, lastName, gender }], totalCount: '1' },
    driver: {
      driver,
      licence,
      entitlement,
      endorsements,
      token,
      cpc: { cpcs: record.cpcs! },
      holder: { tachoCards: record.tachoCards! },
    },
    audit,
    auditOfDriver: [audit[3]!],
  }
}

function anEnquiry(id: string, service: EnquiryResponse['service']): EnquiryResponse {
  return {
    id,
    at: '2026-01-31T09:00:00.000Z',
    consumerId: '9d0bb3a4-8c52-4b4c-9d3a-7d0d4d1f0a11',
    service,
    outcome: 'found',
    status: 200,
    correlationId: id,
    asked: [],
  }
}
