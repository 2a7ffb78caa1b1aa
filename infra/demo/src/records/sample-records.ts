import { createHash } from 'node:crypto'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import { generateDrivers } from '@despatch/synthetic/drivers'
import { generateVehicles } from '@despatch/synthetic/vehicles'

/** Records of one kind as the API of operators takes them. */
export type RecordFile = {
  kind: 'vehicle' | 'driver'
  /** One JSON object per line. */
  lines: string
  count: number
  sha256: string
}

export type SampleRecords = {
  files: readonly RecordFile[]
  /** The subjects of the enquiries. */
  vehicle: VehicleRecord
  driver: DriverRecord & { driver: { firstNames: string } }
  /** The driver's last name, misspelt as by somebody who has only heard it. */
  misspeltLastName: string
}

/** The same records in each demonstration, so they are imported once if the data is kept. */
const set = { seed: 1, count: 2_000, today: '2026-01-01' }

/** Generates vehicles and drivers, and chooses one of each to enquire about. */
export function makeSampleRecords(): SampleRecords {
  const vehicles = [...generateVehicles(set)]
  const drivers = [...generateDrivers({ ...set, imagePercent: 0 })]
  const vehicle = vehicles.find(isOnTheRoad)
  const driver = drivers.find(isSuitable)
  const misspeltLastName = driver && misspell(driver.driver.lastName)
  if (!vehicle || !driver || !misspeltLastName) {
    throw new Error('the records that were made up have no vehicle and no driver to ask for')
  }
  const files = [makeFile('vehicle', vehicles), makeFile('driver', drivers)]
  return { files, vehicle, driver, misspeltLastName }
}

function isOnTheRoad({ taxStatus, motStatus, make, colour }: VehicleRecord): boolean {
  return taxStatus === 'Taxed' && motStatus === 'Valid' && Boolean(make && colour)
}

/** Has CPC and tachograph data, and a surname that can be misspelt. */
function isSuitable(record: DriverRecord): record is SampleRecords['driver'] {
  const { driver, cpcs = [], tachoCards = [], previousDrivingLicences = [] } = record
  return (
    cpcs.length > 0 &&
    tachoCards.length > 0 &&
    previousDrivingLicences.length === 0 &&
    driver.firstNames !== undefined &&
    misspell(driver.lastName) !== undefined
  )
}

function makeFile(kind: RecordFile['kind'], records: readonly object[]): RecordFile {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  const sha256 = createHash('sha256').update(lines).digest('hex')
  return { kind, lines, count: records.length, sha256 }
}

const doubled = /([lnrst])\1/

/** Surnames that are often misspelt when heard. */
const soundAlikes: Readonly<Record<string, string>> = {
  Allen: 'Allan',
  Bennett: 'Bennet',
  Clark: 'Clarke',
  Clarke: 'Clark',
  Johnson: 'Jonson',
  Phillips: 'Philips',
  Smith: 'Smyth',
  Taylor: 'Tayler',
  Thompson: 'Thomson',
  White: 'Whyte',
}

/** Returns the surname as somebody may write it who has only heard it, or undefined if no misspelling is known. */
export function misspell(lastName: string): string | undefined {
  const misspelt = soundAlikes[lastName] ?? lastName.replace(doubled, '$1')
  return misspelt === lastName ? undefined : misspelt
}
