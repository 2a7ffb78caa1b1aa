import { randomBytes } from 'node:crypto'
import type { EnquiriesResponse, EnquiryResponse } from '@despatch/contracts/administration/enquiry'
import { administrationPath } from '@despatch/contracts/administration/paths'
import type { FindResponse } from '@despatch/contracts/driver-find/find-response'
import type { RetrieveResponse } from '@despatch/contracts/full-driver-enquiry/retrieve-response'
import type { VehicleResponse } from '@despatch/contracts/vehicle-enquiry/vehicle-response'
import type { SampleRecords } from './records/sample-records.ts'
import { count } from './screen/count.ts'
import type { Screen } from './screen/screen.ts'
import type { Answer, Request, Session } from './users/session.ts'

export type FoundDrivers = FindResponse & { totalCount: string | null }

export type RecordAnswers = {
  vehicle: VehicleResponse
  /** Search by the misspelt last name as it is written, and by how it sounds. */
  spelt: FoundDrivers
  sounding: FoundDrivers
  driver: RetrieveResponse
  /** The audit of these enquiries, the oldest first, and its entries for the driver's number. */
  audit: EnquiryResponse[]
  auditOfDriver: EnquiryResponse[]
}

type Ask = {
  consumer: Session
  operator: Session
  records: SampleRecords
  screen: Screen
}

export const enquiryPaths = {
  vehicle: '/vehicle-enquiry/v1/vehicles',
  driver: '/full-driver-enquiry/v1/driving-licences/retrieve',
  find: '/driver-find/v1/drivers/find',
} as const

/**
 * Acts as the consumer, who enquires about a vehicle and a driver, and as the operator, who sees the enquiries in the
 * audit.
 */
export async function askAboutRecords(ask: Ask): Promise<RecordAnswers> {
  const purpose = `demo-${randomBytes(4).toString('hex')}`
  const enquire = (request: Request): Promise<Answer> =>
    ask.consumer.expect(200, {
      method: 'POST',
      headers: { 'x-enquiry-purpose': purpose },
      ...request,
    })
  const vehicle = await askForVehicle(ask, enquire)
  const { spelt, sounding } = await findDriver(ask, enquire)
  const driver = await askForDriver(ask, enquire)
  return { vehicle, spelt, sounding, driver, ...(await readAudit(ask, purpose)) }
}

type Enquire = (request: Request) => Promise<Answer>

async function askForVehicle({ records, screen }: Ask, enquire: Enquire) {
  const { registrationNumber } = records.vehicle
  const { body } = await enquire({
    path: enquiryPaths.vehicle,
    body: { registrationNumber },
    withKeyAlone: true,
  })
  const vehicle = body as VehicleResponse
  const { make, colour, taxStatus, motStatus } = vehicle
  screen.say(
    'consumer',
    `asked for vehicle ${registrationNumber}, with the API key alone: ${colour} ${make}, ${taxStatus}, MOT ${motStatus}`,
  )
  return vehicle
}

async function findDriver({ records, screen }: Ask, enquire: Enquire) {
  const { firstNames, dateOfBirth } = records.driver.driver
  const criteria = { firstNames, lastName: records.misspeltLastName, dateOfBirth }
  const find = async (options: object): Promise<FoundDrivers> => {
    const { body, headers } = await enquire({
      path: enquiryPaths.find,
      body: { criteria, options },
    })
    const { results } = body as FindResponse
    return { results, totalCount: headers.get('x-total-count') }
  }
  const spelt = await find({})
  const sounding = await find({ lastNameMatchType: 'phonetic' })
  const names = sounding.results.map(({ lastName }) => lastName)
  screen.say(
    'consumer',
    `looked for ${firstNames} ${criteria.lastName} by name and date of birth: ${spelt.results.length} written like that, ${names.length} sounding like it: ${names.join(', ')}`,
  )
  return { spelt, sounding }
}

async function askForDriver({ records, screen }: Ask, enquire: Enquire) {
  const { drivingLicenceNumber } = records.driver.driver
  const { body } = await enquire({
    path: enquiryPaths.driver,
    body: { drivingLicenceNumber, includeCPC: true, includeTacho: true },
  })
  const driver = body as RetrieveResponse
  const { licence, entitlement, endorsements, cpc, holder } = driver
  const parts = [
    `${licence.type} licence, ${licence.status}`,
    count(entitlement.length, 'entitlement'),
    count(endorsements.length, 'endorsement'),
    count(cpc?.cpcs.length ?? 0, 'CPC'),
    count(holder?.tachoCards.length ?? 0, 'tachograph card'),
  ]
  screen.say('consumer', `asked for the driver who was found: ${parts.join(', ')}`)
  return driver
}

async function readAudit(
  { consumer, operator, records, screen }: Ask,
  purpose: string,
): Promise<Pick<RecordAnswers, 'audit' | 'auditOfDriver'>> {
  const search = async (filter: object): Promise<EnquiryResponse[]> => {
    const { body } = await operator.expect(200, {
      method: 'POST',
      path: `${administrationPath}/enquiries/search`,
      body: { userName: consumer.userName, ...filter },
    })
    const { enquiries } = body as EnquiriesResponse
    return enquiries.filter((enquiry) => enquiry.purpose === purpose).reverse()
  }
  const audit = await search({})
  const { drivingLicenceNumber } = records.driver.driver
  const auditOfDriver = await search({ drivingLicenceNumber })
  screen.say(
    'operator',
    `found ${count(audit.length, 'row')} of the audit of these enquiries, which keep numbers as hashes:`,
    audit.map(describeEnquiry),
  )
  return { audit, auditOfDriver }
}

function describeEnquiry({ service, outcome, numberReference, results, asked }: EnquiryResponse) {
  const about = numberReference === undefined ? `results ${results}` : `number ${numberReference}`
  return [service.padEnd(19), outcome.padEnd(9), about.padEnd(19), ...asked.filter(isShown)].join(
    '  ',
  )
}

/** Of the options, only the one in which the two searches differ. */
function isShown(asked: string): boolean {
  return !asked.includes('=') || asked.startsWith('lastNameMatchType')
}
