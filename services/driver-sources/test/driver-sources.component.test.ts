import { readConfig } from '@despatch/config/read-config'
import { createLogger } from '@despatch/telemetry/logger'
import { aProblem } from '@despatch/testing/a-problem'
import { aRecordStore, driver } from '@despatch/testing/a-record-store'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { driverSourcesConfig } from '../src/config.ts'
import { createDriverSources } from '../src/service.ts'

const token = 'a-token-of-the-test'
const number = 'CANAR657054SM9IJ'
type Details = NonNullable<Parameters<typeof driver>[1]>
const cpc: Pick<Details, 'cpcs' | 'testPass'> = {
  cpcs: [{ lgvValidTo: '2028-09-09', national: false }],
  testPass: [{ status: 'Claimed' }],
}
const tachograph: Pick<Details, 'tachoCards' | 'tachoUnderPreviousDln'> = {
  tachoCards: [{ cardNumber: 'DB12345678901000', cardStatus: 'DISPATCHED' }],
  tachoUnderPreviousDln: true,
}

const lines: string[] = []
type Source = Awaited<ReturnType<typeof createDriverSources>>
const database = await shared(aRecordStore())
const drivers = [driver(number, { ...cpc, ...tachograph }), driver('SMITH711215JS9AB')]
await database.published(drivers, { kind: 'driver' })
const sources: Record<'cpc' | 'tachograph', Source> = {
  cpc: await shared(start('cpc')),
  tachograph: await shared(start('tachograph')),
}

test('each source returns only its own data of a driver', async () => {
  expect(await ask('cpc', { drivingLicenceNumber: number })).toEqual({ status: 200, body: cpc })
  expect(await ask('tachograph', { drivingLicenceNumber: number })).toEqual({
    status: 200,
    body: tachograph,
  })
})

test.for(['SMITH711215JS9AB', 'NOBOD610267JO9AA'])(
  'returns empty lists for %s',
  async (drivingLicenceNumber) => {
    expect(await ask('cpc', { drivingLicenceNumber })).toEqual({ status: 200, body: { cpcs: [] } })
    expect(await ask('tachograph', { drivingLicenceNumber })).toEqual({
      status: 200,
      body: { tachoCards: [] },
    })
  },
)

test.for([
  ['none', undefined],
  ['another', 'Bearer another-token-of-the-test'],
  ['a part', `Bearer ${token.slice(0, -1)}`],
  ['one without its scheme', token],
] as const)('refuses %s token', async ([, authorization]) => {
  expect(await ask('cpc', { drivingLicenceNumber: number }, { authorization })).toEqual(
    aProblem(401, {
      status: '401',
      code: 'Unauthorized',
      detail: 'API Key or JWT is either not provided, expired or invalid',
    }),
  )
})

test('refuses an invalid licence number', async () => {
  const detail = 'Invalid format for field - drivingLicenceNumber'

  expect(await ask('tachograph', { drivingLicenceNumber: '12345678' })).toEqual(
    aProblem(400, { status: '400', code: 'REQUEST_VALIDATION_ERROR', detail }),
  )
})

test('a source serves only its own data', async () => {
  const answer = await sources.cpc.api.inject({
    method: 'POST',
    url: '/driver-sources/v1/tachograph/retrieve',
    headers: { authorization: `Bearer ${token}` },
    body: { drivingLicenceNumber: number },
  })

  expect(answer.statusCode).toBe(404)
})

test('is ready while it has its database, and serves health and metrics without a token', async () => {
  const ready = await sources.cpc.api.inject('/health/ready')
  const metrics = await sources.cpc.api.inject('/metrics')

  expect(ready.json()).toEqual({ status: 'ready', checks: [{ name: 'database', ok: true }] })
  expect(metrics.body).toContain('service="cpc-source"')
})

test('neither log nor metrics contain the licence number or the token', async () => {
  await ask('cpc', { drivingLicenceNumber: number })
  await ask('cpc', { drivingLicenceNumber: `${number}X` })
  const { body } = await sources.cpc.api.inject('/metrics')

  const written = `${lines.join('')}${body}`
  expect(written).toContain('/driver-sources/v1/cpc/retrieve')
  expect(written).not.toContain(number)
  expect(written).not.toContain(token)
})

function start(source: 'cpc' | 'tachograph'): Promise<Source> {
  const config = readConfig(driverSourcesConfig, {
    DATABASE_URL: database.serviceUrl('driver-sources'),
    DESPATCH_DRIVER_SOURCE: source,
    DESPATCH_SOURCE_TOKEN: token,
    PORT: '0',
  })
  const destination = { write: (line: string) => void lines.push(line) }
  return createDriverSources(config, { log: createLogger({ service: source, destination }) })
}

async function ask(
  source: 'cpc' | 'tachograph',
  body: unknown,
  headers: { authorization?: string | undefined } = { authorization: `Bearer ${token}` },
) {
  const answer = await sources[source].api.inject({
    method: 'POST',
    url: `/driver-sources/v1/${source}/retrieve`,
    headers: {
      'content-type': 'application/json',
      ...(headers.authorization && { authorization: headers.authorization }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.statusCode, body: answer.json() }
}
