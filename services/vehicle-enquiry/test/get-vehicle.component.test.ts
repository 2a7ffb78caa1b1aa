import { numberHasher } from '@despatch/access/enquiry-number'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import { listUsageOfDay } from '@despatch/store/access/usage-of-day'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Answer,
  aVehicleEnquiry,
  badRequest,
  notFound,
  now,
  refusal,
} from './a-vehicle-enquiry.ts'

const everyMember: VehicleRecord = {
  registrationNumber: 'AA19AAA',
  taxStatus: 'Taxed',
  taxDueDate: '2027-11-20',
  artEndDate: '2025-03-30',
  motStatus: 'No details held by Service',
  motExpiryDate: '2027-01-01',
  make: 'FORD',
  monthOfFirstServiceRegistration: '2019-03',
  monthOfFirstRegistration: '2019-03',
  yearOfManufacture: 2019,
  engineCapacity: 2000,
  co2Emissions: 300,
  fuelType: 'PETROL',
  markedForExport: false,
  colour: 'RED',
  typeApproval: 'M1',
  wheelplan: '2 AXLE RIGID BODY',
  revenueWeight: 0,
  realDrivingEmissions: '1',
  dateOfLastV5CIssued: '2019-05-20',
  euroStatus: 'EURO1',
  automatedVehicle: false,
}
const sorn: VehicleRecord = { registrationNumber: 'L2WPS', taxStatus: 'SORN', make: 'AUDI' }
const strange = {
  registrationNumber: 'AB1',
  make: null,
  colour: 'RED',
  keeper: 'A Person',
} as unknown as VehicleRecord

const service = await shared(aVehicleEnquiry({ vehicles: [everyMember, sorn, strange] }))
const limits = { requests_per_second: 10, burst: 0, requests_per_day: 1 }
await service.db
  .insertInto('usage_plan')
  .values({ name: 'one-a-day', service: 'vehicle-enquiry', ...limits })
  .execute()

const withoutHeaders = ({ status, body }: Answer) => ({ status, body })
const enquire = async (registrationNumber: unknown) =>
  withoutHeaders(await service.enquire(registrationNumber))

test('200: returns every member of the interface that is known, and no other, for a number in either case', async () => {
  expect(await enquire('aa19aAa')).toEqual({ status: 200, body: everyMember })
  const body = { registrationNumber: 'AB1', colour: 'RED' }
  expect(await enquire('AB1')).toEqual({ status: 200, body })
})

test('200: answers each of many concurrent enquiries with its own vehicle', async () => {
  const numbers = ['AA19AAA', 'L2WPS', 'NONE1', 'AB1']
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => enquire(numbers[index % 4])),
  )

  const expected = await Promise.all(numbers.map((number) => enquire(number)))
  expect(answers).toEqual(Array.from({ length: 200 }, (_, index) => expected[index % 4]))
  expect(expected.map(({ status }) => status)).toEqual([200, 200, 404, 200])
})

test.for<[name: string, registrationNumber: unknown, told: string]>([
  [
    'a letter that upper-cases to ASCII',
    'AA19ıAA',
    'registrationNumber must match "^[A-Za-z0-9]{1,8}$"',
  ],
  ['NUL', 'AA19\0', 'registrationNumber must not contain NUL characters or unpaired surrogates'],
])('400: the registration number has %s', async ([, registrationNumber, told]) => {
  expect(await enquire(registrationNumber)).toEqual(badRequest(told))
})

test('404: no vehicle set exists', async () => {
  const empty = await aVehicleEnquiry()
  onTestFinished(empty.stop)
  expect(withoutHeaders(await empty.enquire('AA19AAA'))).toEqual(notFound)
})

test('429: the usage plan is exceeded', async () => {
  const { aConsumer, post } = service
  const { headers } = await aConsumer({ usagePlan: 'one-a-day' })

  const first = await post({ registrationNumber: 'L2WPS' }, headers)
  const second = await post({ registrationNumber: 'L2WPS' }, headers)

  expect(first.status).toBe(200)
  const told = 'Too many requests: the limit is 1 per day (UTC)'
  expect(withoutHeaders(second)).toEqual(refusal(429, 'Throttled', told))
  expect(second.headers['retry-after']).toBe(String(12 * 60 * 60))
})

test('enquiries without a usage plan are counted, too', async () => {
  const { aConsumer, post, db } = service
  const { consumerId, headers } = await aConsumer()
  await post({ registrationNumber: 'L2WPS' }, headers)

  const usage = await eventually(
    async () => {
      const day = Math.floor(now.getTime() / 86_400_000)
      return (await listUsageOfDay(db, { consumerId, day })).get('vehicle-enquiry')
    },
    { message: 'the enquiry is counted' },
  )

  expect(usage).toMatchObject({ requests: 1, refused: 0 })
})

const hashOf = numberHasher(someKeys.DESPATCH_KEY_ENQUIRIES)

test('the audit has a row for every enquiry of a known caller, with any answer', async () => {
  const audited = await aVehicleEnquiry({ vehicles: [sorn] })
  onTestFinished(audited.stop)
  const headersOf = (id: string) => ({ ...audited.fleet.headers, 'x-correlation-id': id })
  const purposed = { ...headersOf('found'), 'x-enquiry-purpose': 'CLAIM 12/a' }
  const ask = (registrationNumber: unknown, headers: Record<string, string>) =>
    audited.post({ registrationNumber }, headers)
  await ask('l2wps', purposed)
  await ask('NONE1', headersOf('not-found'))
  await ask('AA 19', headersOf('malformed'))
  await audited.post('{', headersOf('unreadable'))
  await audited.pool.query('drop table vehicle_record')
  await ask('L2WPS', headersOf('failed'))
  await ask('L2WPS', { 'x-api-key': 'key-of-nobody' })

  const consumer_id = audited.fleet.consumerId
  const row = { consumer_id, purpose: null, number_hash: null }
  expect(await audited.enquiries()).toEqual([
    {
      ...row,
      correlation_id: 'found',
      outcome: 'found',
      status: 200,
      purpose: 'CLAIM 12/a',
      number_hash: hashOf('L2WPS'),
    },
    {
      ...row,
      correlation_id: 'not-found',
      outcome: 'not-found',
      status: 404,
      number_hash: hashOf('NONE1'),
    },
    { ...row, correlation_id: 'malformed', outcome: 'refused', status: 400 },
    { ...row, correlation_id: 'unreadable', outcome: 'refused', status: 400 },
    {
      ...row,
      correlation_id: 'failed',
      outcome: 'failed',
      status: 500,
      number_hash: hashOf('L2WPS'),
    },
  ])
})
