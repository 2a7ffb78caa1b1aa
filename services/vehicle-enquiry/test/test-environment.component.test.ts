import { shared } from '@despatch/testing/shared'
import { vehicleScenarios } from '@despatch/uat-scenarios/vehicle-scenarios'
import { expect, test } from 'vitest'
import { aVehicleEnquiry, fault, notFound, now, refusal } from './a-vehicle-enquiry.ts'

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

test('the dates of predefined vehicles follow the clock', async () => {
  const { body } = await uat.enquire('AA19AAA')

  expect(now.toISOString().slice(0, 10)).toBe('2026-06-15')
  expect(body).toMatchObject({ taxStatus: 'Taxed', taxDueDate: '2027-06-15' })
})

test('predefined numbers are answered with 400 and 503, as by the agency', async () => {
  const [bad, down] = await Promise.all(['ER19BAD', 'ER19MNT'].map((number) => uat.enquire(number)))

  const told = 'Invalid format for field - vehicle registration number'
  expect(bad).toMatchObject(refusal(400, 'Invalid registration number', told))
  expect(down?.status).toBe(503)
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
