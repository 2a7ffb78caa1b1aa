import { readConfig } from '@despatch/config/read-config'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import { enquiryConfig } from '@despatch/enquiry/config'
import { vehicleLoadRow } from '@despatch/store/record-set/vehicle-load-row'
import { aKeptLog } from '@despatch/testing/a-kept-log'
import { aProblem } from '@despatch/testing/a-problem'
import { aRecordStore } from '@despatch/testing/a-record-store'
import { signsInConsumers } from '@despatch/testing/sign-in-consumers'
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
}: {
  settings?: Record<string, string>
  vehicles?: readonly VehicleRecord[]
} = {}) {
  const database = await aRecordStore()
  const { db, pool } = database
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
  if (vehicles.length > 0) await database.published(vehicles.map(vehicleLoadRow))
  const signIn = await signsInConsumers({ db, secretKeyHex: someKeys.DESPATCH_KEY_SIGNING })
  /** Creates a consumer, without limits by default, and returns its headers. */
  const aConsumer = (detail: Parameters<typeof signIn>[0] = {}) =>
    signIn({ services: ['vehicle-enquiry'], usagePlan: 'plan-without-limits', ...detail })

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

  const fleet = await aConsumer()
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
