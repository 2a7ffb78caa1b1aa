import { randomUUID } from 'node:crypto'
import { seedConsumer } from '@despatch/access/seed'
import { openSigningKey } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { readConfig } from '@despatch/config/read-config'
import type { Role } from '@despatch/domain/access/caller'
import { type ObjectStore, openObjectStore } from '@despatch/object-store/object-store'
import { type Database, openDatabase } from '@despatch/store/database'
import { createLogger } from '@despatch/telemetry/logger'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { inject } from 'vitest'
import { printRequestConfig } from '../src/config.ts'
import { createPrintRequest } from '../src/service.ts'

export type Answer = { status: number; body: never; headers: Record<string, unknown> }

export type Call = {
  method?: 'GET' | 'POST' | 'DELETE' | 'PUT'
  path: string
  body?: unknown
  headers?: Record<string, string>
}

/** A caller with credentials. */
export type TestCaller = {
  consumerId: string
  headers: Record<string, string>
  call(call: Call): Promise<Answer>
}

export type TestPrintRequest = {
  database: Database
  objects: ObjectStore
  logged: string[]
  aCaller(roles?: readonly Role[]): Promise<TestCaller>
  call(call: Call): Promise<Answer>
  /** For answers that are not JSON. */
  get(
    path: string,
    headers: Record<string, string>,
  ): Promise<{ statusCode: number; headers: Record<string, unknown>; rawPayload: Buffer }>
  close(): Promise<void>
}

export const secretKey = 'ab'.repeat(32)

/** The service with its own database and a real object store. */
export async function aPrintRequest(
  settings: Record<string, string> = {},
): Promise<TestPrintRequest> {
  const testDatabase = await cloneDatabase()
  const database = openDatabase(testDatabase.url, { name: 'test', connectionsMax: 4 })
  const { objectStore } = inject('infra')
  const objects = openObjectStore(objectStore)
  const logged: string[] = []
  const service = await createPrintRequest(
    readConfig(printRequestConfig, {
      DATABASE_URL: testDatabase.serviceUrl,
      S3_ENDPOINT: objectStore.endpoint,
      S3_REGION: objectStore.region,
      S3_BUCKET: objectStore.bucket,
      S3_ACCESS_KEY_ID: objectStore.accessKeyId,
      S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
      DESPATCH_SECRET_KEY: secretKey,
      PORT: '0',
      ...settings,
    }),
    {
      log: createLogger({
        service: 'print-request',
        destination: { write: (line) => void logged.push(line) },
      }),
    },
  )
  await service.api.ready()
  const signingKey = await openSigningKey({ db: database.db, secretKeyHex: secretKey })

  async function call({ method = 'GET', path, body, headers = {} }: Call): Promise<Answer> {
    const response = await service.api.inject({
      method,
      url: path.startsWith('/') ? path : `/print-request/v1/print/${path}`,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && {
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    })
    return {
      status: response.statusCode,
      body: (response.body === '' ? undefined : response.json()) as never,
      headers: response.headers,
    }
  }

  return {
    database,
    objects,
    logged,
    call,
    get: (path, headers) =>
      service.api.inject({ method: 'GET', url: `/print-request/v1/print/${path}`, headers }),
    aCaller: async (roles = ['consumer']) => {
      const userName = `consumer-${randomUUID()}`
      const apiKey = randomUUID()
      const consumerId = await seedConsumer(database.db, {
        userName,
        name: userName,
        password: 'Pa$$word1',
        apiKey,
        roles: [...roles],
        contracts: [
          { jobType: 'LETTER', templateReference: 'LETTER', production: 'letter' },
          {
            jobType: 'NOTIFY',
            templateReference: 'NOTIFY',
            production: 'as-supplied',
            suppliedFileKey: 'pdfContent',
          },
        ],
      })
      const token = await issueToken(await signingKey(), { consumerId, roles }, new Date())
      const headers = { authorization: token, 'x-api-key': apiKey }
      return {
        consumerId,
        headers,
        call: (request) => call({ ...request, headers: { ...headers, ...request.headers } }),
      }
    },
    close: async () => {
      await service.close()
      objects.close()
      await database.close()
      await testDatabase.drop()
    },
  }
}

/** A request body that the service accepts, with the one detail that a test is about. */
export function aRequest(detail: Record<string, unknown> = {}) {
  return {
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      recipientName: 'Ms A Person',
      address: { unstructuredAddress: { line1: '1 High Street', postcode: 'AB1 2CD' } },
    },
    ...detail,
  }
}

export const aPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
