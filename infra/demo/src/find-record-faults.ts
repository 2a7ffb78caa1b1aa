import { isDeepStrictEqual } from 'node:util'
import type { FoundDrivers, RecordAnswers } from './ask-about-records.ts'
import type { SampleRecords } from './records/sample-records.ts'

/** Returns what is wrong with the answers about vehicles and drivers, one line per problem. */
export function findRecordFaults(records: SampleRecords, answers: RecordAnswers): string[] {
  return [
    ...(isDeepStrictEqual(answers.vehicle, records.vehicle)
      ? []
      : ['the vehicle is not answered as it was imported']),
    ...faultsOfSearches(records, answers),
    ...faultsOfDriver(records, answers),
    ...faultsOfAudit(records, answers),
  ]
}

function faultsOfSearches({ driver }: SampleRecords, { spelt, sounding }: RecordAnswers): string[] {
  const { drivingLicenceNumber, lastName, gender } = driver.driver
  const faults: string[] = []
  if (hasDriver(spelt, drivingLicenceNumber)) {
    faults.push('a misspelt name that must be matched exactly finds the driver')
  }
  const [first] = sounding.results
  if (!isDeepStrictEqual(first, { drivingLicenceNumber, lastName, gender })) {
    faults.push('a misspelt name that sounds alike does not find the driver first')
  }
  for (const { results, totalCount } of [spelt, sounding]) {
    if (totalCount !== String(results.length)) {
      faults.push(`x-total-count tells ${totalCount} drivers, found: ${results.length}`)
    }
  }
  return faults
}

function hasDriver({ results }: FoundDrivers, number: string): boolean {
  return results.some(({ drivingLicenceNumber }) => drivingLicenceNumber === number)
}

function faultsOfDriver({ driver: known }: SampleRecords, { driver: answered }: RecordAnswers) {
  const parts = [
    ['driver', answered.driver, known.driver],
    ['licence', answered.licence, known.licence],
    ['token', answered.token, known.token],
    ['entitlements', answered.entitlement.length, known.entitlement.length],
    ['endorsements', answered.endorsements.length, known.endorsements.length],
    ['CPC data', answered.cpc?.cpcs, known.cpcs],
    ['tachograph cards', answered.holder?.tachoCards, known.tachoCards],
    ['errors', answered.errors, undefined],
  ] as const
  return parts
    .filter(([, answered, imported]) => !isDeepStrictEqual(answered, imported))
    .map(([name]) => `the driver's ${name} are not answered as they were imported`)
}

function faultsOfAudit(
  { vehicle, driver }: SampleRecords,
  { audit, auditOfDriver }: RecordAnswers,
): string[] {
  const faults: string[] = []
  const services = audit.map(({ service, status }) => `${service} ${status}`).join(', ')
  if (services !== auditedServices.map((service) => `${service} 200`).join(', ')) {
    faults.push(`the audit has ${services || 'nothing'} of the enquiries`)
  }
  if (auditOfDriver.length !== 1 || auditOfDriver[0]?.id !== audit.at(-1)?.id) {
    faults.push(`the audit has ${auditOfDriver.length} rows about the driver's number, not its own`)
  }
  const text = JSON.stringify(audit)
  const values = [vehicle.registrationNumber, driver.driver.drivingLicenceNumber]
  if (values.some((value) => text.includes(value))) faults.push('the audit tells a number')
  return faults
}

const auditedServices = [
  'vehicle-enquiry',
  'driver-find',
  'driver-find',
  'full-driver-enquiry',
] as const
