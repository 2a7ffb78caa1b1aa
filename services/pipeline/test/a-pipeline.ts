import { readConfig } from '@despatch/config/read-config'
import { type ObjectStore, openObjectStore } from '@despatch/object-store/object-store'
import type { Database } from '@despatch/store/database'
import { createLogger, type Logger } from '@despatch/telemetry/logger'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { insertConsumer, type StoredConsumer } from '@despatch/testing/print-job-builders'
import { inject } from 'vitest'
import { pipelineConfig } from '../src/config.ts'
import { createPipeline, type PipelineOptions, type PipelineService } from '../src/service.ts'

/** A running pipeline with its own database and shorter waits than in production. */
export type TestPipeline = {
  database: Database
  /** The address of the database. */
  url: string
  objects: ObjectStore
  consumer: StoredConsumer
  start(
    options?: { settings?: Record<string, string> } & Omit<PipelineOptions, 'log'>,
  ): Promise<PipelineService>
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
    DATABASE_URL: database.serviceUrl,
    QUEUE_URL: queueUrl ?? database.url,
    ...objectStoreSettings(),
    PORT: '0',
    DESPATCH_RELAY_INTERVAL_MS: '20',
    DESPATCH_SWEEP_INTERVAL_MS: '100',
    DESPATCH_STEP_LEASE_SECONDS: '1',
    DESPATCH_COMPOSE_THREADS: '1',
    DESPATCH_UPLOAD_BYTES_MAX: '100000',
    ...(typeof settings === 'function' ? settings(database.url) : settings),
  }
  return {
    database,
    url: database.url,
    objects,
    consumer: await insertConsumer(database.db),
    start: async ({ settings: others = {}, ...options } = {}) => {
      const pipeline = await createPipeline(
        readConfig(pipelineConfig, { ...environment, ...others }),
        { log, now, ...options },
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
