import { expect, onTestFinished, test } from 'vitest'
import { aVehicleEnquiry, type VehicleEnquiry } from './a-vehicle-enquiry.ts'

const canary = 'CNRY77Q'
const vehicle = { registrationNumber: canary, make: 'CANARYMAKE' }

type Way = {
  status: number
  send(service: VehicleEnquiry): Promise<{ status: number; body: unknown }>
  settings?: Record<string, string>
  /** What happens before the request. */
  spoil?: string
}

const ways: Record<string, Way> = {
  'a vehicle that is found': { status: 200, send: ({ enquire }) => enquire(canary) },
  'one that is not': { status: 404, send: ({ enquire }) => enquire(`${canary}0`) },
  'a number with a space': { status: 400, send: ({ enquire }) => enquire(`${canary} 1`) },
  'a number that is too long': { status: 400, send: ({ enquire }) => enquire(canary.repeat(50)) },
  'a list of numbers': { status: 400, send: ({ enquire }) => enquire([canary]) },
  'a body that is a string': { status: 400, send: ({ post }) => post(`"${canary}"`) },
  'a member that is named so': { status: 400, send: ({ post }) => post({ [canary]: canary }) },
  'a body that is cut off': {
    status: 400,
    send: ({ post }) => post(`{"registrationNumber":"${canary}"`),
  },
  'no API key': { status: 403, send: ({ post }) => post({ registrationNumber: canary }, {}) },
  'the number for an API key': {
    status: 403,
    send: ({ post }) => post({ registrationNumber: canary }, { 'x-api-key': canary }),
  },
  'a number in the address': {
    status: 404,
    send: async ({ service }) => {
      const url = `/vehicle-enquiry/v1/vehicles/${canary}?number=${canary}`
      const answer = await service.api.inject(url)
      return { status: answer.statusCode, body: answer.json() }
    },
  },
  'a body that is too large': {
    status: 413,
    send: ({ post }) => post({ registrationNumber: canary, more: 'x'.repeat(20_000) }),
  },
  'another content type': {
    status: 415,
    send: ({ post, fleet }) =>
      post(canary, { ...fleet.headers, 'content-type': 'application/x-www-form-urlencoded' }),
  },
  'a number for a purpose': {
    status: 400,
    send: ({ post, fleet }) =>
      post({ registrationNumber: canary }, { ...fleet.headers, 'x-enquiry-purpose': `${canary}!` }),
  },
  'records that cannot be read': {
    status: 500,
    spoil: 'drop table vehicle_record',
    send: ({ enquire }) => enquire(canary),
  },
  'a record that cannot be read': {
    status: 500,
    spoil: `alter table vehicle_record rename column record to gone`,
    send: ({ enquire }) => enquire(canary),
  },
  'an audit that cannot be written': {
    status: 500,
    spoil: `alter table enquiry_audit add check (status <> 200)`,
    send: ({ enquire }) => enquire(canary),
  },
  'requests that cannot be counted': {
    status: 503,
    settings: { QUEUE_URL: 'redis://127.0.0.1:1', DESPATCH_LIMITS_WHEN_STORE_DOWN: 'refuse' },
    spoil: `update consumer set usage_plan = 'standard'`,
    send: ({ enquire }) => enquire(canary),
  },
}

test.for(Object.entries(ways))('%s writes the registration number nowhere', async ([, way]) => {
  const service = await aVehicleEnquiry({
    vehicles: [vehicle],
    ...(way.settings && { settings: way.settings }),
  })
  onTestFinished(service.stop)
  if (way.spoil) await service.pool.query(way.spoil)

  const { status, body } = await way.send(service)

  const metrics = await service.service.api.inject('/metrics')
  const { rows: audited } = await service.pool.query('select * from enquiry_audit')
  expect(status).toBe(way.status)
  expect(service.lines.join()).toContain('request.served')
  expect(metrics.body).toContain(`status="${status}"`)
  const left = {
    lines: service.lines,
    metrics: metrics.body,
    audited,
    // only the response to an enquiry may contain its number
    ...(status !== 200 && { body }),
  }
  expect(JSON.stringify(left)).not.toMatch(/cnry77q|canarymake/i)
})
