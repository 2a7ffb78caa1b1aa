import { createHash, randomUUID } from 'node:crypto'
import { seedConsumer } from '@despatch/access/seed'
import { openSigningKey } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { readConfig } from '@despatch/config/read-config'
import type { Role } from '@despatch/domain/access/caller'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { enquiryConfig } from '@despatch/enquiry/config'
import { openDatabase } from '@despatch/store/database'
import { driverLoadRow } from '@despatch/store/record-set/driver-load-row'
import { loadRows } from '@despatch/store/record-set/load'
import { prepareAndPublish } from '@despatch/store/record-set/publish'
import { beginRecordSet } from '@despatch/store/record-set/record-sets'
import { beginPublishing, finishPublishing } from '@despatch/store/record-set/transitions'
import { createLogger } from '@despatch/telemetry/logger'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { createDriverFind } from '../src/service.ts'

export const secretKeyHex = 'ab'.repeat(32)
export const path = '/driver-find/v1/drivers/find'

export type Headers = Record<string, string>
export type DriverFind = Awaited<ReturnType<typeof aDriverFind>>

/** A separate database whose current set contains these drivers. */
export async function aDriverDatabase(drivers: readonly DriverRecord[] = []) {
  const test = await cloneDatabase()
  const database = openDatabase(test.url, { name: 'test', connectionsMax: 4 })
  const { db, pool } = database
  const { set } = await db.transaction().execute((tx) =>
    beginRecordSet(tx, {
      kind: 'driver',
      mode: 'replace',
      sourceSha256: createHash('sha256').update('test').digest(),
      createdBy: 'test',
    }),
  )
  await loadRows(pool, {
    setId: set.id,
    fromRow: 0,
    parts: (async function* () {
      yield drivers.map(driverLoadRow)
    })(),
    numberMember: 'number',
  })
  await db.transaction().execute((tx) => beginPublishing(tx, set.id))
  await prepareAndPublish(pool, {
    setId: set.id,
    finish: (recordCount) =>
      db.transaction().execute(async (tx) => {
        await finishPublishing(tx, { id: set.id, recordCount, now: new Date() })
      }),
    signal: new AbortController().signal,
  })
  return {
    ...database,
    url: test.url,
    drop: async () => {
      await database.close()
      await test.drop()
    },
  }
}

export type DriverDatabase = Awaited<ReturnType<typeof aDriverDatabase>>

/** The service on a database, with a consumer without limits. */
export async function aDriverFind(database: DriverDatabase, settings: Headers = {}) {
  const { db } = database
  const lines: string[] = []
  const service = await createDriverFind(
    readConfig(enquiryConfig, {
      DATABASE_URL: database.url,
      DESPATCH_SECRET_KEY: secretKeyHex,
      PORT: '0',
      ...settings,
    }),
    {
      log: createLogger({
        service: 'driver-find',
        level: 'trace',
        destination: { write: (line: string) => void lines.push(line) },
      }),
    },
  )
  await service.api.ready()
  const signingKey = await openSigningKey({ db, secretKeyHex })

  /** Creates a consumer and returns its headers. */
  async function aConsumer({
    services = ['driver-find'],
    roles = ['consumer'] as Role[],
    usagePlan = 'plan-without-limits',
  } = {}): Promise<Headers> {
    const apiKey = randomUUID()
    const consumerId = await seedConsumer(db, {
      userName: apiKey,
      name: 'A consumer',
      password: 'Pa$$word1',
      apiKey,
      roles,
      services,
      contracts: [],
    })
    await db
      .updateTable('consumer')
      .set({ usage_plan: usagePlan })
      .where('id', '=', consumerId)
      .execute()
    const token = await issueToken(await signingKey(), { consumerId, roles }, new Date())
    return { authorization: token, 'x-api-key': apiKey }
  }
  const insurer = await aConsumer()

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
    aConsumer,
    post,
    find,
    metrics: async () => (await service.api.inject('/metrics')).body,
    enquiries: () =>
      db
        .selectFrom('enquiry_audit')
        .select(['number_hash', 'outcome', 'status', 'purpose', 'asked', 'results'])
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

/** A complete error response. */
export function refusal(status: number, code: string, ...details: string[]) {
  return {
    status,
    body: { errors: details.map((detail) => ({ status: String(status), code, detail })) },
  }
}
