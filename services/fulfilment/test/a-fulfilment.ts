import { hash, randomBytes } from 'node:crypto'
import { startComposers } from '@despatch/composer/composers'
import type { DespatchMethod } from '@despatch/domain/print-job/params'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { Problem } from '@despatch/domain/problem'
import { documentKey } from '@despatch/object-store/keys'
import { openObjectStore } from '@despatch/object-store/object-store'
import { insertProvider } from '@despatch/store/access/consumers'
import { openDatabase } from '@despatch/store/database'
import { savePrintJobDeletion } from '@despatch/store/print-job/delete-print-job'
import { findPrintJob } from '@despatch/store/print-job/record'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { noTracing } from '@despatch/telemetry/tracing'
import { aDatabase } from '@despatch/testing/a-database'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { makePending } from '@despatch/testing/make-pending'
import {
  aSubmission,
  insertConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import { inject } from 'vitest'
import { createFulfilmentApi } from '../src/api.ts'

export type PendingDetail = {
  sheets?: number
  despatchMethod?: DespatchMethod
  file?: Buffer
  wantsCallback?: true
  traceContext?: string
}

type Call = {
  /** The provider that calls. The runs belong to `north`. */
  provider?: string
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

type Answer = { status: number; body: { errors: { code: string }[] } }

/** Returns `[status, code]` of each refusal. */
export function refusals(...answers: Answer[]): [status: number, code: string | undefined][] {
  return answers.map(({ status, body }) => [status, body.errors[0]?.code])
}

/** As many ids as the documents of a run; tests take no more than it has. */
type DocumentIds = [string, string, string, string, string, string]

export type Fulfilment = Awaited<ReturnType<typeof aFulfilment>>

/** The API with its own database and the providers `north`, whose runs are built, and `south`. */
export async function aFulfilment({ tracing = noTracing } = {}) {
  const database = await aDatabase({ connectionsMax: 10 })
  const { db, pool } = database
  const own = openDatabase(database.serviceUrl('fulfilment'), {
    name: 'fulfilment',
    connectionsMax: 10,
  })
  const objects = openObjectStore(inject('infra').objectStore)
  await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
  await insertProvider(db, { id: 'south', name: 'South', printLocations: ['SOUTH'] })
  await pool.query(`update print_site set share = 0 where provider_id = 'south'`)
  const consumer = await insertConsumer(db)
  const composers = startComposers({ threadsMax: 1 })
  const api = await createFulfilmentApi({
    db: own.db,
    objects,
    composers,
    log: createLogger({ service: 'fulfilment', level: 'silent' }),
    metrics: createMetrics('fulfilment'),
    tracing,
    ready: async () => [],
    authenticate: async ({ 'x-provider': providerId }) => {
      if (typeof providerId !== 'string') throw new Problem('not-authenticated', 'Who?')
      const caller = { ...consumer, apiKeyHash: Buffer.alloc(32), roles: ['provider'] as const }
      return providerId === 'nobody' ? caller : { ...caller, providerId }
    },
  })

  async function addPending(...details: PendingDetail[]) {
    const printJobs = details.map(
      ({ sheets = 1, despatchMethod, file, wantsCallback, traceContext = null }) => {
        const content = file ?? randomBytes(100)
        const submission = aSubmission(consumer, {
          traceContext,
          standardParams: { ...someStandardParams, ...(despatchMethod && { despatchMethod }) },
          ...(wantsCallback && { callbackParams: {}, callbackOrigin: 'https://example.com' }),
        })
        const sha256 = hash('sha256', content)
        return { submission, sheets, content, sha256, key: submission.key, id: submission.id }
      },
    )
    await saveSubmissions(
      pool,
      printJobs.map(({ submission }) => submission),
    )
    const made = printJobs.map(({ key, sheets, sha256, content }) => ({
      key,
      made: {
        documentSha256: sha256,
        documentBytes: content.length,
        documentPages: sheets * 2,
        documentSheets: sheets,
      },
    }))
    await makePending(db, ...made)
    return printJobs.map(({ key, id, sha256, content }) => ({ key, id, sha256, content }))
  }

  /** Collects everything that is PENDING and releases it. Returns the batch numbers, one for each stream. */
  async function releaseRuns(): Promise<string[]> {
    const limits = { runAgeMs: 0, documentsMax: 5_000, jobsMax: 5_000 }
    const released: string[] = []
    for (;;) {
      const pass = await gatherAndRelease(db, limits)
      released.push(...pass.released)
      if (!pass.isMore) return released
    }
  }

  async function call(method: 'GET' | 'HEAD' | 'POST' | 'PUT', path: string, options: Call = {}) {
    const { provider = 'north', key, body, headers } = options
    const answer = await api.inject({
      method,
      url: `/print-fulfilment/v1${path}`,
      headers: {
        ...(provider && { 'x-provider': provider }),
        ...(key && { 'idempotency-key': key }),
        ...headers,
      },
      ...(body !== undefined && { body: body as object }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      bytes: answer.rawPayload,
      body:
        answer.body && answer.headers['content-type']?.toString().startsWith('application/json')
          ? answer.json()
          : undefined,
    }
  }

  /** One released run of print jobs with these details. */
  async function aReleasedRun(...details: PendingDetail[]) {
    const printJobs = await addPending(...details)
    const [batchNumber] = await releaseRuns()
    if (!batchNumber) throw new Error('Nothing was released')
    return { batchNumber, printJobs }
  }

  async function aClaimedRun(...details: PendingDetail[]) {
    const run = await aReleasedRun(...details)
    const { batchNumber } = run
    await call('POST', `/print-runs/${batchNumber}/claim`, { key: `claim ${batchNumber}` })
    const { body: manifest } = await call('GET', `/print-runs/${batchNumber}/manifest`)
    const { documentCount, sheetCount } = manifest.totals
    const acknowledgement = { documentCount, sheetCount, manifestDigest: manifest.manifestDigest }
    const documentIds = manifest.documents.map(
      ({ documentId }: { documentId: string }) => documentId,
    ) as DocumentIds
    return { ...run, manifest, acknowledgement, documentIds }
  }

  const acknowledge = (
    { batchNumber, acknowledgement }: { batchNumber: string; acknowledgement: object },
    changes: object = {},
  ) =>
    call('POST', `/print-runs/${batchNumber}/acknowledgement`, {
      body: { ...acknowledgement, ...changes },
    })

  async function anAcknowledgedRun(...details: PendingDetail[]) {
    const run = await aClaimedRun(...details)
    await acknowledge(run)
    return run
  }

  // biome-ignore lint/suspicious/noExplicitAny: what a query selects is what a test says of it
  const rows = async (query: string, ...values: unknown[]): Promise<any[]> =>
    (await pool.query(query, values)).rows

  async function statuses(keys: readonly string[]): Promise<PrintJobStatus[]> {
    const found = await db
      .selectFrom('print_job')
      .select(['key', 'status'])
      .where('key', 'in', [...keys])
      .execute()
    const byKey = new Map(found.map(({ key, status }) => [key, status]))
    return keys.map((key) => byKey.get(key)!)
  }

  return {
    database,
    objects,
    api,
    call,
    addPending,
    releaseRuns,
    aReleasedRun,
    aClaimedRun,
    anAcknowledgedRun,
    acknowledge,
    post: (body: object, options: Call = {}) =>
      call('POST', '/postings', {
        key: crypto.randomUUID(),
        body: { carrier: 'Royal Mail', handoverAt: '2026-01-31T17:30:00Z', ...body },
        ...options,
      }),
    confirm: (postingId: string, options: Call = {}) =>
      call('POST', `/postings/${postingId}/confirm`, options),
    deleteJob: (id: string) => savePrintJobDeletion(db, consumer.consumerId, id),
    findJob: (id: string) => findPrintJob(db, consumer.consumerId, id),
    putDocument: (content: Buffer, sha256: string) =>
      objects.put(documentKey(sha256), content, 'application/pdf'),
    rows,
    statuses,
    statusesOf: ({ printJobs }: { printJobs: { key: string }[] }) =>
      statuses(printJobs.map(({ key }) => key)),
    /** Returns the key of the print job with this document. */
    keyOf: async (documentId: string): Promise<string> =>
      (
        await db
          .selectFrom('print_run_document')
          .select('print_job_key')
          .where('document_id', '=', documentId)
          .executeTakeFirstOrThrow()
      ).print_job_key,
    /** Changes a run as an operator does who reassigns it. */
    voidRun: ({ batchNumber }: { batchNumber: string }) =>
      rows(
        `update print_run set state = 'VOIDED', voided_at = now() where batch_number = $1`,
        batchNumber,
      ),
    close: async () => {
      await api.close()
      await composers.close()
      objects.close()
      await own.close()
      await database.close()
    },
  }
}
