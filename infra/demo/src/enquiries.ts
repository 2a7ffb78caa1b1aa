import type { ConsumerClient } from '@despatch/client/consumer-client'
import type { FindResponse } from '@despatch/contracts/driver-find/find-response'
import type { RetrieveResponse } from '@despatch/contracts/full-driver-enquiry/retrieve-response'
import type { VehicleResponse } from '@despatch/contracts/vehicle-enquiry/vehicle-response'
import { say } from './say.ts'

/** Asks for a vehicle and drivers of the test environment. Throws if they are not found. */
export async function enquire(consumer: ConsumerClient): Promise<void> {
  const ask = <Answer>(path: string, body: object) =>
    consumer.call<Answer>('POST', path, { body, isRepeatable: true })

  const asked = { registrationNumber: 'AA19MOT' }
  const vehicle = await ask<VehicleResponse>('/vehicle-enquiry/v1/vehicles', asked)
  const { make, colour, taxStatus, motStatus } = vehicle
  say('consumer', `asked for a vehicle: ${colour} ${make}, ${taxStatus}, MOT ${motStatus}`)

  const { results } = await ask<FindResponse>('/driver-find/v1/drivers/find', {
    criteria: { lastName: 'Smith', dateOfBirth: '1980-02-10', gender: 'Male' },
    options: { lastNameMatchType: 'phonetic' },
  })
  const names = results.map(({ lastName }) => lastName)
  say('consumer', `looked for a driver whose name sounds like Smith: ${names.join(', ')}`)

  const { drivingLicenceNumber } = results[0] ?? {}
  const path = '/full-driver-enquiry/v1/driving-licences/retrieve'
  const { licence } = await ask<RetrieveResponse>(path, { drivingLicenceNumber })
  say('consumer', `asked for the first of them: ${licence.type} licence, ${licence.status}`)
}
