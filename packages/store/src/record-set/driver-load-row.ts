import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import type { StoredCpc, StoredDriverRecord, StoredTachograph } from '../schema.ts'
import type { LoadRow } from './load.ts'

/**
 * Returns the rows to store for a driver: the answer to an enquiry, separately the data of the two other sources and
 * the photograph, and one searchable row for each identity, current licence first.
 */
export function driverLoadRow(driver: DriverRecord): LoadRow {
  const number = driver.driver.drivingLicenceNumber
  return {
    kind: 'record',
    number,
    tuples: { driver_record: [recordOf(number, driver)], driver_search: identitiesOf(driver) },
  }
}

function recordOf(number: string, row: DriverRecord): readonly unknown[] {
  const { driver, licence, entitlement, endorsements, token } = row
  const record: StoredDriverRecord = { driver, licence, entitlement, endorsements, token }
  const { photograph } = row
  return [
    number,
    JSON.stringify(record),
    jsonOrNull(cpcOf(row)),
    jsonOrNull(tachographOf(row)),
    photograph === undefined ? null : Buffer.from(photograph, 'base64'),
  ]
}

function cpcOf({ cpcs, testPass }: DriverRecord): StoredCpc | undefined {
  if (!cpcs && !testPass) return undefined
  return { cpcs: cpcs ?? [], ...(testPass && { testPass }) }
}

function tachographOf(row: DriverRecord): StoredTachograph | undefined {
  const { tachoCards, tachoUnderPreviousDln } = row
  if (!tachoCards && tachoUnderPreviousDln === undefined) return undefined
  return {
    tachoCards: tachoCards ?? [],
    ...(tachoUnderPreviousDln !== undefined && { tachoUnderPreviousDln }),
  }
}

function identitiesOf({ driver, previousDrivingLicences = [] }: DriverRecord): unknown[][] {
  const { drivingLicenceNumber, dateOfBirth, gender, address } = driver
  const previousDates = new Set(
    previousDrivingLicences.flatMap((licence) => licence.dateOfBirth ?? []),
  )
  previousDates.delete(dateOfBirth)
  const postcode = address?.unstructuredAddress.postcode?.replaceAll(/\s/g, '').toUpperCase()
  return [driver, ...previousDrivingLicences].map(({ firstNames, lastName }, identity) => [
    drivingLicenceNumber,
    identity,
    firstNames,
    lastName,
    dateOfBirth,
    [...previousDates],
    postcode,
    gender,
  ])
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
