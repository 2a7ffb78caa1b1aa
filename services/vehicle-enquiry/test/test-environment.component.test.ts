import { shared } from '@despatch/testing/shared'
import { vehicleScenarios } from '@despatch/uat-scenarios/vehicle-scenarios'
import { expect, test } from 'vitest'
import { aVehicleEnquiry, fault, notFound, now } from './a-vehicle-enquiry.ts'

const record = { registrationNumber: 'AA19AAA', make: 'OF THE RECORDS' }
const ours = { registrationNumber: 'OURS1', make: 'OF THE RECORDS' }

const vehicles = [record, ours]
const uat = await shared(aVehicleEnquiry({ vehicles, settings: { DESPATCH_ENVIRONMENT: 'uat' } }))
const production = await shared(aVehicleEnquiry({ vehicles }))

test.for(vehicleScenarios)('$registrationNumber: $title', async (scenario) => {
  const { registrationNumber, outcome } = scenario

  const { status, body } = await uat.enquire(registrationNumber.toLowerCase())

  expect(status).toBe(scenario.status)
  switch (outcome.kind) {
    case 'record':
      return expect(body).toEqual(outcome.record(now))
    case 'fault':
      return expect(body).toEqual(fault.body)
    case 'problem':
      return expect(body).toEqual({
        errors: [
          {
            status: String(status),
            code: String(status),
            title: expect.any(String),
            detail: outcome.detail,
          },
        ],
      })
  }
})

test('other numbers are looked up in the records', async () => {
  expect(await uat.enquire('OURS1')).toMatchObject({ status: 200, body: ours })
  expect(await uat.enquire('NONE1')).toMatchObject(notFound)
})

test('in production only the records are used', async () => {
  expect(await production.enquire('AA19AAA')).toMatchObject({ status: 200, body: record })
  expect(await production.enquire('ER19ERR')).toMatchObject(notFound)
})

test('enquiries of predefined numbers are audited like others', async () => {
  const rows = await uat.enquiries()

  const statuses = new Set(vehicleScenarios.map(({ status }) => status))
  expect(new Set(rows.map(({ status }) => status))).toEqual(statuses)
})
