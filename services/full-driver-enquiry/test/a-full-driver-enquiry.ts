import { readConfig } from '@despatch/config/read-config'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { driverLoadRow } from '@despatch/store/record-set/driver-load-row'
import { aKeptLog } from '@despatch/testing/a-kept-log'
import { aRecordStore } from '@despatch/testing/a-record-store'
import { signsInConsumers } from '@despatch/testing/sign-in-consumers'
import { someKeys } from '@despatch/testing/some-keys'
import { fullDriverEnquiryConfig } from '../src/config.ts'
import { createFullDriverEnquiry } from '../src/service.ts'
import type { BreakerLimits } from '../src/sources/guard-source.ts'

export const sourceToken = 'token-of-the-sources'
export const path = '/full-driver-enquiry/v1/driving-licences/retrieve'

export type Headers = Record<string, string>
export type Answer = {
  status: number
  body: ReturnType<typeof JSON.parse>
  headers: Record<string, unknown>
}

/** No server listens at this address; a connection to it is refused. */
export const nowhere = 'http://127.0.0.1:1'

/** A separate database whose current set contains these drivers. */
export async function aDriverDatabase(drivers: readonly DriverRecord[] = [aDriver()]) {
  const store = await aRecordStore()
  await store.published(drivers.map(driverLoadRow), { kind: 'driver' })
  return store
}

export type DriverDatabase = Awaited<ReturnType<typeof aDriverDatabase>>

/** The service on a database with drivers, and with the consumer `insurer`. */
export async function aFullDriverEnquiry(
  database: DriverDatabase,
  settings: Headers = {},
  { clock = { now: new Date() }, breaker }: { clock?: { now: Date }; breaker?: BreakerLimits } = {},
) {
  const { db } = database
  const { log, lines } = aKeptLog('full-driver-enquiry')
  const service = await createFullDriverEnquiry(
    readConfig(fullDriverEnquiryConfig, {
      DATABASE_URL: database.serviceUrl('full-driver-enquiry'),
      ...someKeys,
      DESPATCH_CPC_URL: nowhere,
      DESPATCH_TACHOGRAPH_URL: nowhere,
      DESPATCH_SOURCE_TOKEN: sourceToken,
      PORT: '0',
      ...settings,
    }),
    {
      log,
      now: () => clock.now,
      ...(breaker && { breaker }),
    },
  )
  await service.api.ready()
  const signIn = await signsInConsumers({
    db,
    secretKeyHex: someKeys.DESPATCH_KEY_SIGNING,
    now: () => clock.now,
  })

  /** Creates a consumer, without limits by default, and returns its headers. */
  const aConsumer = (detail: Parameters<typeof signIn>[0] = {}) =>
    signIn({ services: ['full-driver-enquiry'], usagePlan: 'plan-without-limits', ...detail })

  /** Sends text or bytes unchanged, and anything else as JSON. Without headers, as `insurer`. */
  async function post(body?: unknown, headers: Headers = insurer.headers): Promise<Answer> {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    const answer = await service.api.inject({
      method: 'POST',
      url: path,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
  }

  const insurer = await aConsumer()
  return {
    service,
    db,
    lines,
    insurer,
    aConsumer,
    post,
    retrieve: (detail: object = {}) =>
      post({ drivingLicenceNumber: aDriver().driver.drivingLicenceNumber, ...detail }),
    metrics: async () => (await service.api.inject('/metrics')).body,
    enquiries: () =>
      db
        .selectFrom('enquiry_audit')
        .select(['consumer_id', 'number_hash', 'outcome', 'status', 'purpose', 'asked', 'results'])
        .orderBy('at')
        .orderBy('id')
        .execute(),
    close: () => service.close(),
  }
}

/** A driver with data in every source. */
export function aDriver(detail: Partial<DriverRecord> = {}): DriverRecord {
  return {
    driver: {
      drivingLicenceNumber: 'MORGA657054SM9IJ',
      firstNames: 'SARAH MEREDYTH',
      lastName: 'MORGAN',
      gender: 'Female',
      dateOfBirth: '1964-07-05',
      address: { unstructuredAddress: { line1: '1 HIGH STREET', postcode: 'SA1 1AA' } },
    },
    licence: { type: 'Full', status: 'Valid' },
    entitlement: [
      {
        categoryCode: 'H',
        categoryType: 'Full',
        fromDate: '1990-01-01',
        expiryDate: '2034-07-04',
        restrictions: [{ restrictionCode: '01' }],
      },
    ],
    endorsements: [],
    token: { validFromDate: '2020-01-02', validToDate: '2030-01-01', issueNumber: '03' },
    cpcs: [{ lgvValidTo: '2028-09-09', national: true }],
    testPass: [{ categoryCode: 'H', testDate: '1990-01-01', status: 'Claimed' }],
    tachoCards: [{ cardNumber: 'DB12345678901000', cardStatus: 'DISPATCHED' }],
    tachoUnderPreviousDln: true,
    ...detail,
  }
}

/** A complete error response. */
export function refusal(status: number, code: string, ...details: string[]) {
  return {
    status,
    body: { errors: details.map((detail) => ({ status: String(status), code, detail })) },
  }
}
