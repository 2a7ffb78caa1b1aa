import { readConfig } from '@despatch/config/read-config'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { enquiryConfig } from '@despatch/enquiry/config'
import { driverLoadRow } from '@despatch/store/record-set/driver-load-row'
import { aKeptLog } from '@despatch/testing/a-kept-log'
import { aRecordStore } from '@despatch/testing/a-record-store'
import { signsInConsumers } from '@despatch/testing/sign-in-consumers'
import { someKeys } from '@despatch/testing/some-keys'
import { createDriverFind } from '../src/service.ts'

const path = '/driver-find/v1/drivers/find'

type Headers = Record<string, string>

/** A separate database whose current set contains these drivers. */
export async function aDriverDatabase(drivers: readonly DriverRecord[] = []) {
  const store = await aRecordStore()
  await store.published(drivers.map(driverLoadRow), { kind: 'driver' })
  return store
}

export type DriverDatabase = Awaited<ReturnType<typeof aDriverDatabase>>

/** The service on a database, with a consumer without limits. */
export async function aDriverFind(database: DriverDatabase, settings: Headers = {}) {
  const { db } = database
  const { log, lines } = aKeptLog('driver-find', { level: 'trace' })
  const service = await createDriverFind(
    readConfig(enquiryConfig, {
      DATABASE_URL: database.serviceUrl('driver-find'),
      ...someKeys,
      PORT: '0',
      ...settings,
    }),
    {
      log,
    },
  )
  await service.api.ready()
  const signIn = await signsInConsumers({ db, secretKeyHex: someKeys.DESPATCH_KEY_SIGNING })

  const insurer: Headers = (
    await signIn({ services: ['driver-find'], usagePlan: 'plan-without-limits' })
  ).headers

  /** Sends text or bytes unchanged, and anything else as JSON. */
  async function post(
    body?: unknown,
    { headers = insurer, query = '' }: { headers?: Headers; query?: string } = {},
  ) {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    const answer = await service.api.inject({
      method: 'POST',
      url: `${path}${query}`,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
  }

  /** Returns the result in short: the total and the numbers of the page. */
  async function find(
    body: object,
    { headers = {}, query = '' }: { headers?: Headers; query?: string } = {},
  ) {
    const answer = await post(body, { headers: { ...insurer, ...headers }, query })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return {
      total: answer.headers['x-total-count'],
      numbers: answer.body.results.map(
        (each: { drivingLicenceNumber: string }) => each.drivingLicenceNumber,
      ),
    }
  }

  return {
    service,
    lines,
    insurer,
    post,
    find,
    metrics: async () => (await service.api.inject('/metrics')).body,
    enquiries: () =>
      db
        .selectFrom('enquiry_audit')
        .select(['number_hash', 'outcome', 'status', 'purpose', 'asked', 'results'])
        .orderBy('at')
        .orderBy('id')
        .execute(),
    close: () => service.close(),
  }
}

export function aDriver(
  drivingLicenceNumber: string,
  {
    driver,
    ...details
  }: Partial<Omit<DriverRecord, 'driver'>> & { driver?: Partial<DriverRecord['driver']> } = {},
): DriverRecord {
  return {
    licence: { type: 'Full', status: 'Valid' },
    entitlement: [],
    endorsements: [],
    token: {},
    ...details,
    driver: {
      drivingLicenceNumber,
      firstNames: 'SARAH MEREDYTH',
      lastName: 'MORGAN',
      gender: 'Female',
      dateOfBirth: '1965-07-05',
      address: { unstructuredAddress: { line1: '1 HIGH STREET', postcode: 'SA1 1AA' } },
      ...driver,
    },
  }
}
