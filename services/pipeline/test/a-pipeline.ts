import { randomUUID } from 'node:crypto'
import { readConfig } from '@despatch/config/read-config'
import { uploadKey } from '@despatch/object-store/keys'
import { type ObjectStore, openObjectStore } from '@despatch/object-store/object-store'
import type { Database } from '@despatch/store/database'
import { type Submission, saveSubmissions } from '@despatch/store/print-job/submissions'
import { insertUpload } from '@despatch/store/print-job/uploads'
import { createLogger, type Logger } from '@despatch/telemetry/logger'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import {
  aSubmission,
  insertConsumer,
  type StoredConsumer,
} from '@despatch/testing/print-job-builders'
import { asService } from '@despatch/testing/service-logins'
import { inject } from 'vitest'
import { type PipelineConfig, pipelineConfig } from '../src/config.ts'
import { createPipeline, type PipelineOptions, type PipelineService } from '../src/service.ts'

/** A running pipeline with its own database and shorter waits than in production. */
export type TestPipeline = {
  database: Database
  /** The address of the database. */
  url: string
  objects: ObjectStore
  consumer: StoredConsumer
  /** Starts a process. `config` has settings that the checks of an installation refuse. */
  start(
    options?: { settings?: Record<string, string>; config?: Partial<PipelineConfig> } & Omit<
      PipelineOptions,
      'log'
    >,
  ): Promise<PipelineService>
  /** Saves a print job and returns its key. */
  submit(detail?: Partial<Submission>, of?: StoredConsumer): Promise<string>
  /** Creates an upload, of these bytes if any are given, and returns its id. */
  anUpload(bytes?: Uint8Array, of?: StoredConsumer): Promise<string>
  /** Saves a print job with an upload of these bytes and returns its key. */
  submitUpload(bytes: Uint8Array): Promise<string>
  /** Waits until the print job has one of the statuses and returns it. */
  reached(key: string, ...statuses: string[]): Promise<string>
  close(): Promise<void>
}

export async function aPipeline(
  queueUrl?: string,
  settings: Record<string, string> | ((databaseUrl: string) => Record<string, string>) = {},
  log: Logger = createLogger({ service: 'pipeline', level: 'silent' }),
  now: () => Date = () => new Date(),
): Promise<TestPipeline> {
  const database = await aDatabase()
  const { objectStore } = inject('infra')
  const objects = openObjectStore(objectStore)
  const started: PipelineService[] = []
  const environment: Record<string, string> = {
    DATABASE_URL: database.serviceUrl('pipeline'),
    QUEUE_URL: asService(queueUrl ?? database.url, 'pipeline'),
    ...objectStoreSettings(),
    PORT: '0',
    DESPATCH_SWEEP_INTERVAL_MS: '100',
    DESPATCH_STEP_LEASE_SECONDS: '1',
    DESPATCH_COMPOSE_THREADS: '1',
    DESPATCH_UPLOAD_BYTES_MAX: '100000',
    ...(typeof settings === 'function' ? settings(database.serviceUrl('pipeline')) : settings),
  }
  const consumer = await insertConsumer(database.db)
  const submit: TestPipeline['submit'] = async (detail, of = consumer) => {
    const submission = aSubmission(of, detail)
    const [outcome] = await saveSubmissions(database.pool, [submission])
    if (outcome?.kind !== 'saved') throw new Error(`Not saved: ${outcome?.kind}`)
    return submission.key
  }
  const anUpload: TestPipeline['anUpload'] = async (bytes, { consumerId } = consumer) => {
    const id = randomUUID()
    await insertUpload(database.db, { id, consumerId, expiresInSeconds: 600, openMax: 100 })
    if (bytes) await objects.put(uploadKey(id), bytes, 'application/octet-stream')
    return id
  }
  return {
    database,
    url: database.url,
    objects,
    consumer,
    submit,
    anUpload,
    submitUpload: async (bytes) =>
      submit({ files: [{ fileId: 'scan', source: 'upload', uploadId: await anUpload(bytes) }] }),
    start: async ({ settings: others = {}, config = {}, ...options } = {}) => {
      const pipeline = await createPipeline(
        { ...readConfig(pipelineConfig, { ...environment, ...others }), ...config },
        { log, now, everyMs: 20, ...options },
      )
      let closed: Promise<void> | undefined
      const close = () => {
        closed ??= pipeline.close()
        return closed
      }
      started.push({ ...pipeline, close })
      return { ...pipeline, close }
    },
    reached: (key, ...statuses) =>
      eventually(
        async () => {
          const job = await database.db
            .selectFrom('print_job')
            .select('status')
            .where('key', '=', key)
            .executeTakeFirst()
          return job && statuses.includes(job.status) ? job.status : undefined
        },
        { message: `the print job is ${statuses.join(' or ')}` },
      ),
    close: async () => {
      await Promise.all(started.map((pipeline) => pipeline.close()))
      objects.close()
      await database.close()
    },
  }
}
