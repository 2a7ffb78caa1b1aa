import { seedConsumer } from '@despatch/access/seed'
import { readConfig } from '@despatch/config/read-config'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import { enquiryConfig } from '@despatch/enquiry/config'
import type { Database } from '@despatch/store/database'
import { aDatabase } from '@despatch/testing/a-database'
import { aKeptLog } from '@despatch/testing/a-kept-log'
import { aProblem } from '@despatch/testing/a-problem'
import { someKeys } from '@despatch/testing/some-keys'
import { expect } from 'vitest'
import { createVehicleEnquiry } from '../src/service.ts'

export const now = new Date('2026-06-15T12:00:00Z')
export const path = '/vehicle-enquiry/v1/vehicles'

export type Headers = Record<string, string>
export type Answer = { status: number; body: unknown; headers: Record<string, unknown> }
export type VehicleEnquiry = Awaited<ReturnType<typeof aVehicleEnquiry>>

/** The service with its own database, whose current set contains these vehicles, and with the consumer `fleet`. */
export async function aVehicleEnquiry({
  settings = {},
  vehicles = [],
  prepare = async () => {},
}: {
  settings?: Record<string, string>
  vehicles?: readonly VehicleRecord[]
  /** Runs before the service starts. */
  prepare?: (pool: Database['pool']) => Promise<void>
} = {}) {
  const database = await aDatabase()
  const { db, pool } = database
  await prepare(pool)
  const { log, lines } = aKeptLog('vehicle-enquiry')
  const service = await createVehicleEnquiry(
    readConfig(enquiryConfig, {
      DATABASE_URL: database.serviceUrl('vehicle-enquiry'),
      ...someKeys,
      PORT: '0',
      ...settings,
    }),
    {
      log,
      now: () => now,
    },
  )
  await service.api.ready()
  if (vehicles.length > 0) await publish(vehicles)

  /** Creates a consumer, without limits by default, and returns its headers. */
  async function aConsumer(userName: string, changes: object = {}) {
    const consumerId = await seedConsumer(db, {
      userName,
      name: userName,
      password: 'Pa$$word1',
      apiKey: `key-of-${userName}`,
      roles: ['consumer'],
      services: ['vehicle-enquiry'],
      contracts: [],
    })
    await db
      .updateTable('consumer')
      .set({ usage_plan: 'plan-without-limits', ...changes })
      .where('id', '=', consumerId)
      .execute()
    return { consumerId, headers: { 'x-api-key': `key-of-${userName}` } }
  }

  async function publish(records: readonly VehicleRecord[]): Promise<void> {
    const { rows } = await pool.query<{ id: number }>(
      `insert into record_set (kind, mode, state, source_sha256, created_by)
       values ('vehicle', 'replace', 'CURRENT', '', 'test') returning id`,
    )
    const { id } = rows[0]!
    await pool.query(`create table vehicle_record_s${id} partition of vehicle_record
       for values in (${id})`)
    await pool.query(
      `insert into vehicle_record (set_id, registration_number, record)
       select $1, record ->> 'registrationNumber', record from json_array_elements($2::json) as each (record)`,
      [id, JSON.stringify(records)],
    )
  }

  /** Sends text or bytes unchanged, and anything else as JSON. Without headers, as `fleet`. */
  async function post(body?: unknown, headers: Headers = fleet.headers): Promise<Answer> {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    const answer = await service.api.inject({
      method: 'POST',
      url: path,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
  }

  const enquiries = () =>
    db
      .selectFrom('enquiry_audit')
      .select(['consumer_id', 'number_hash', 'outcome', 'status', 'correlation_id', 'purpose'])
      .orderBy('at')
      .orderBy('id')
      .execute()

  const fleet = await aConsumer('fleet')
  return {
    service,
    db,
    pool,
    lines,
    fleet,
    aConsumer,
    post,
    enquire: (registrationNumber: unknown) => post({ registrationNumber }),
    enquiries,
    stop: async () => {
      await service.close()
      await database.close()
    },
  }
}

/** A complete error response. */
export function refusal(status: number, title: string, ...details: string[]) {
  return {
    status,
    body: {
      errors: details.map((detail) => ({
        status: String(status),
        code: String(status),
        title,
        detail,
      })),
    },
  }
}

export function badRequest(told: string) {
  return refusal(
    400,
    'Invalid registration number',
    `Invalid format for field - vehicle registration number (${told})`,
  )
}

export const notFound = refusal(404, 'Vehicle not found', 'Record for vehicle not found')

export const forbidden = refusal(
  403,
  'Forbidden',
  'API Key is either not provided, expired or invalid',
)

export const fault = aProblem(500, {
  status: '500',
  code: 'ENQ108',
  title: 'Internal error',
  detail: expect.stringMatching(/^Unexpected error\. Error id: [\da-f-]{36}$/),
})
