import { statusDrivers } from './driver-refusals.ts'
import type { DriverScenario } from './driver-scenario.ts'
import { bannedDrivers } from './drivers/bans.ts'
import { licenceDrivers } from './drivers/licences.ts'
import {
  endorsementDrivers,
  entitlementDrivers,
  personDrivers,
  professionalDrivers,
  publishedDrivers,
} from './drivers/records.ts'
import { sourceDrivers } from './drivers/sources.ts'
import { uatFindDrivers } from './find-drivers.ts'

export type { DriverOutcome, DriverScenario, SourceBehaviour } from './driver-scenario.ts'

/** Every predefined driving licence number, each once: the agency's public test numbers and our own. */
export const driverScenarios: readonly DriverScenario[] = [
  ...publishedDrivers,
  ...licenceDrivers,
  ...endorsementDrivers,
  ...bannedDrivers,
  ...entitlementDrivers,
  ...personDrivers,
  ...professionalDrivers,
  ...sourceDrivers,
  ...statusDrivers,
]

/**
 * Returns the scenario of a driving licence number in stored form: upper case, without spaces. The drivers of driver
 * find have one too, so that every driver that a search finds can be enquired about.
 */
export function driverScenario(drivingLicenceNumber: string): DriverScenario | undefined {
  return byNumber.get(drivingLicenceNumber)
}

const foundDrivers = uatFindDrivers.map((record): DriverScenario => {
  const { drivingLicenceNumber } = record.driver
  return {
    drivingLicenceNumber,
    title: 'A driver of driver find',
    status: 200,
    outcome: { kind: 'record', record: () => record, cpc: 'answers', tachograph: 'answers' },
  }
})

const byNumber = new Map(
  [...foundDrivers, ...driverScenarios].map((each) => [each.drivingLicenceNumber, each]),
)
