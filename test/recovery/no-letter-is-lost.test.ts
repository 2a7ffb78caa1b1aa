import { prepareQueues } from '@despatch/queue/prepare-queues'
import { type Database, openDatabase } from '@despatch/store/database'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { cloneDatabase, type TestDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import {
  aSubmission,
  insertConsumer,
  type StoredConsumer,
} from '@despatch/testing/print-job-builders'
import { queueBackends } from '@despatch/testing/queue-backends'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { replayTimelines } from '../model/replay-timelines.ts'
import { type ServiceProcess, startService } from '../stack/start-service.ts'
import { wipeQueues } from '../stack/wipe-queues.ts'

const lettersMax = 60
/** They share a database and queues. */
const inTurn = { concurrent: false }

// Both at the same time: most of it is waiting until the queues take a worker for dead.
describe.concurrent.each(queueBackends)('with queues on $name', ({ url: queueUrl }) => {
  let testDatabase: TestDatabase
  let database: Database
  let consumer: StoredConsumer
  let environment: Record<string, string>

  beforeAll(async () => {
    testDatabase = await cloneDatabase()
    await prepareQueues(queueUrl)
    database = openDatabase(testDatabase.url, { name: 'test', connectionsMax: 2 })
    consumer = await insertConsumer(database.db)
    const { objectStore } = inject('infra')
    environment = {
      DATABASE_URL: testDatabase.url,
      QUEUE_URL: queueUrl,
      S3_ENDPOINT: objectStore.endpoint,
      S3_REGION: objectStore.region,
      S3_BUCKET: objectStore.bucket,
      S3_ACCESS_KEY_ID: objectStore.accessKeyId,
      S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
      DESPATCH_STEP_LEASE_SECONDS: '1',
      DESPATCH_SWEEP_INTERVAL_MS: '200',
      DESPATCH_RELAY_INTERVAL_MS: '50',
      DESPATCH_COMPOSE_THREADS: '1',
    }
  })
  afterAll(async () => {
    await database.close()
    await testDatabase.drop()
  })

  const startPipeline = () => startService('pipeline', environment)

  async function submitLetters(): Promise<string[]> {
    const submissions = Array.from({ length: lettersMax }, () => aSubmission(consumer))
    const outcomes = await saveSubmissions(database.pool, submissions)
    expect(outcomes.every(({ kind }) => kind === 'saved')).toBe(true)
    return submissions.map(({ key }) => key)
  }

  async function countPending(keys: readonly string[]): Promise<number> {
    const { rows } = await database.pool.query<{ count: number }>(
      `select count(*) from print_job where key = any ($1::uuid[]) and status = 'PENDING'`,
      [keys],
    )
    return rows[0]!.count
  }

  /** Every letter went its way once: no step is missing, none comes twice, and none is another than the model allows. */
  async function expectOneWayEach(keys: readonly string[]): Promise<void> {
    const { rows } = await database.pool.query<{ way: string; letters: number }>(
      `select way, count(*) as letters from (
         select string_agg(sequence || ' ' || transition, ', ' order by sequence) as way
         from print_job_event where print_job_key = any ($1::uuid[]) group by print_job_key) as each_way
       group by way`,
      [keys],
    )
    expect(rows).toEqual([{ way: '1 submit, 2 release, 3 accept', letters: keys.length }])
    expect(await replayTimelines(database)).toEqual([])
  }

  const allPending = (keys: readonly string[]) =>
    eventually(async () => (await countPending(keys)) === keys.length, {
      deadlineMs: 60_000,
      message: 'all letters are PENDING',
    })

  test('workers killed in the middle of their work', inTurn, async () => {
    const keys = await submitLetters()
    for (const share of [0.1, 0.3, 0.6]) {
      const pipeline: ServiceProcess = await startPipeline()
      await eventually(async () => (await countPending(keys)) >= share * keys.length, {
        deadlineMs: 60_000,
        message: `${share} of the letters are PENDING`,
      })
      await pipeline.kill('SIGKILL')
    }

    await using _pipeline = await startPipeline()

    await allPending(keys)
    await expectOneWayEach(keys)
  })

  test('queues wiped while letters are under way', inTurn, async () => {
    // Nobody works yet, so that there is something to lose.
    const keys = await submitLetters()
    await database.db
      .updateTable('print_job')
      .set({ next_check_at: new Date(Date.now() + 2_000) })
      .where('key', 'in', keys)
      .execute()
    await database.db.deleteFrom('outbox').execute()
    await wipeQueues(queueUrl)

    await using _pipeline = await startPipeline()
    await eventually(async () => (await countPending(keys)) > 0, {
      deadlineMs: 30_000,
      message: 'the first letter is PENDING',
    })
    await wipeQueues(queueUrl)
    await database.db
      .updateTable('print_job')
      .set({ next_check_at: new Date() })
      .where('key', 'in', keys)
      .where('status', 'in', ['QUARANTINE', 'VALIDATING'])
      .execute()

    await allPending(keys)
    await expectOneWayEach(keys)
  })

  test('a worker that is frozen past its lease and then goes on', inTurn, async () => {
    const keys = await submitLetters()
    await using frozen = await startPipeline()
    await eventually(async () => (await countPending(keys)) > 0, {
      deadlineMs: 30_000,
      message: 'the first letter is PENDING',
    })
    frozen.process.kill('SIGSTOP')

    await using _pipeline = await startPipeline()
    await allPending(keys)
    frozen.process.kill('SIGCONT')
    await frozen.kill('SIGTERM')

    await expectOneWayEach(keys)
  })
})
