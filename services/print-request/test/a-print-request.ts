import { randomUUID } from 'node:crypto'
import type { ConsumerSeed } from '@despatch/access/seed'
import { readConfig } from '@despatch/config/read-config'
import type { Role } from '@despatch/domain/access/caller'
import { type ObjectStore, openObjectStore } from '@despatch/object-store/object-store'
import type { Database } from '@despatch/store/database'
import { aDatabase } from '@despatch/testing/a-database'
import { aKeptLog } from '@despatch/testing/a-kept-log'
import { makePending } from '@despatch/testing/make-pending'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { signsInConsumers } from '@despatch/testing/sign-in-consumers'
import { someKeys } from '@despatch/testing/some-keys'
import { inject } from 'vitest'
import { printRequestConfig } from '../src/config.ts'
import { createPrintRequest } from '../src/service.ts'

export type Answer = { status: number; body: never; headers: Record<string, unknown> }

type Call = {
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

export type SubmittedJob = { id: string; key: string }

export type TestPrintRequest = {
  database: Database
  objects: ObjectStore
  logged: string[]
  aCaller(roles?: readonly Role[]): Promise<TestCaller>
  /** Submits a print job with these details as this caller. */
  aPrintJob(by: TestCaller, detail?: Record<string, unknown>): Promise<SubmittedJob>
  /** Submits a print job and does what the pipeline does, so that it is PENDING. */
  aPendingJob(by: TestCaller, detail?: Record<string, unknown>): Promise<SubmittedJob>
  call(call: Call): Promise<Answer>
  /** Listens for calls over HTTP, and returns its address. */
  listen(): Promise<string>
  /** For answers that are not JSON. */
  get(
    path: string,
    headers: Record<string, string>,
  ): Promise<{ statusCode: number; headers: Record<string, unknown>; rawPayload: Buffer }>
  post(
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<{ statusCode: number; headers: Record<string, unknown>; rawPayload: Buffer }>
  close(): Promise<void>
}

export const secretKey = someKeys.DESPATCH_KEY_CALLBACKS

const contracts: ConsumerSeed['contracts'] = [
  { jobType: 'LETTER', templateReference: 'LETTER', production: 'letter' },
  {
    jobType: 'NOTIFY',
    templateReference: 'NOTIFY',
    production: 'as-supplied',
    suppliedFileKey: 'pdfContent',
  },
]

/** The service with its own database and a real object store. */
export async function aPrintRequest(
  settings: Record<string, string> = {},
): Promise<TestPrintRequest> {
  const database = await aDatabase()
  const { objectStore } = inject('infra')
  const objects = openObjectStore(objectStore)
  const { log, lines: logged } = aKeptLog('print-request')
  const service = await createPrintRequest(
    readConfig(printRequestConfig, {
      DATABASE_URL: database.serviceUrl('print-request'),
      ...objectStoreSettings(),
      ...someKeys,
      PORT: '0',
      // a check may take long beside other tests
      DESPATCH_CHECK_TIMEOUT_MS: '50000',
      ...settings,
    }),
    { log },
  )
  await service.api.ready()
  const signIn = await signsInConsumers({
    db: database.db,
    secretKeyHex: someKeys.DESPATCH_KEY_SIGNING,
  })

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

  async function aPrintJob(by: TestCaller, detail: Record<string, unknown> = {}) {
    const { id = `job-${randomUUID()}` } = detail as { id?: string }
    const body = aRequest({ ...detail, id })
    const { status } = await by.call({ method: 'POST', path: 'jobs', body })
    if (status !== 202) throw new Error(`The print job is not accepted: ${status}`)
    const sql = 'select key from print_job where id = $1 and consumer_id = $2'
    const { rows } = await database.pool.query<{ key: string }>(sql, [id, by.consumerId])
    return { id, key: rows[0]!.key }
  }

  return {
    database,
    objects,
    logged,
    call,
    aPrintJob,
    aPendingJob: async (by, detail) => {
      const job = await aPrintJob(by, detail)
      await makePending(database.db, job)
      return job
    },
    listen: () => service.api.listen({ host: '127.0.0.1', port: 0 }),
    get: (path, headers) =>
      service.api.inject({
        method: 'GET',
        url: path.startsWith('/') ? path : `/print-request/v1/print/${path}`,
        headers,
      }),
    post: (path, body, headers) =>
      service.api.inject({
        method: 'POST',
        url: `/print-request/v1/print/${path}`,
        headers: { 'content-type': 'application/json', ...headers },
        payload: JSON.stringify(body),
      }),
    aCaller: async (roles = ['consumer']) => {
      const { consumerId, headers } = await signIn({ roles, contracts })
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

/** The note on a letter without a file, as the timeline and the dry run show it. */
export const withoutFile = {
  rule: 'letter-without-file',
  number: 'P004',
  severity: 'note',
  detail:
    'This letter has no file: only the address page will be printed. Send the file in base64 in customParams, such as ' +
    '{"key": "letter", "value": "…"}, or upload it and name it in fileParams.',
}

export const aPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
