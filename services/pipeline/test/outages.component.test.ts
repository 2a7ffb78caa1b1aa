import { prepareQueues } from '@despatch/queue/prepare-queues'
import { listOutages } from '@despatch/store/outage/outages'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { startTcpProxy, type TcpProxy } from '@despatch/testing/tcp-proxy'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { PipelineService } from '../src/service.ts'
import { aPipeline, type TestPipeline } from './a-pipeline.ts'

const queueBackends = await takeQueueBackends()

const { objectStore, postgresUrl } = inject('infra')
const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'navy' } })
  .png()
  .toBuffer()

describe.each(queueBackends)('outages with queues on $name', ({ url }) => {
  let store: TcpProxy
  let postgres: TcpProxy
  let pipeline: TestPipeline
  let service: PipelineService

  beforeAll(async () => {
    await prepareQueues(url)
    store = await startTcpProxy({ port: Number(new URL(objectStore.endpoint).port) })
    postgres = await startTcpProxy({ port: Number(new URL(postgresUrl).port) })
    pipeline = await aPipeline(url, (databaseUrl) => ({
      S3_ENDPOINT: store.through(objectStore.endpoint),
      DATABASE_URL: postgres.through(databaseUrl),
      DESPATCH_SWEEP_INTERVAL_MS: '1000',
      DESPATCH_STEP_LEASE_SECONDS: '5',
    }))
    service = await pipeline.start({ everyMs: 200 })
  })
  afterAll(async () => {
    await pipeline.close()
    await store.close()
    await postgres.close()
  })

  const submit = (count: number) =>
    Promise.all(Array.from({ length: count }, () => pipeline.submit()))

  const countOf = async (keys: readonly string[], condition: string) => {
    const { rows } = await pipeline.database.pool.query<{ count: number }>(
      `select count(*) from print_job where key = any ($1::uuid[]) and ${condition}`,
      [keys],
    )
    return rows[0]!.count
  }
  const allAre = (keys: readonly string[], condition: string) =>
    eventually(async () => (await countOf(keys, condition)) === keys.length, {
      message: `all are ${condition}`,
    })
  const expectUnharmed = async (keys: readonly string[]) => {
    await allAre(keys, `status = 'PENDING'`)
    expect(await countOf(keys, 'parked_at is not null or step_failures > 0')).toBe(0)
  }
  const isUp = async (dependency: string) => {
    const { values } = await service.metrics!.getSingleMetric('dependency_up')!.get()
    return values.find(({ labels }) => labels.dependency === dependency)!.value === 1
  }
  const isAway = (dependency: string) =>
    eventually(async () => !(await isUp(dependency)), { message: `the ${dependency} is away` })
  const outagesNow = async () =>
    (await listOutages(pipeline.database.db)).map(({ dependency }) => dependency)

  test('letters wait for the object store, and all of them continue when it is back', async () => {
    const keys = [await pipeline.submitUpload(picture), ...(await submit(20))]
    store.refuse()
    const late = await submit(30)
    await isAway('object-store')
    await eventually(async () => (await outagesNow()).includes('object-store'), {
      message: 'operators see the outage',
    })

    store.resume()

    await expectUnharmed([...keys, ...late])
    await eventually(async () => (await outagesNow()).length === 0, {
      message: 'the outage has ended',
    })
  })

  test('a letter whose file cannot be read waits without counting an attempt', async () => {
    const uploadId = await pipeline.anUpload(picture)
    store.refuse()
    await isAway('object-store')
    const key = await pipeline.submit({ files: [{ fileId: 'scan', source: 'upload', uploadId }] })
    await eventually(
      async () =>
        (
          await pipeline.database.pool.query(
            `select from letter_later where subject = $1 and waits_for = 'object-store'
             union all select from letter_batch where $1 = any (subjects)`,
            [key],
          )
        ).rows.length === 1,
      { message: 'the letter waits' },
    )

    store.resume()

    await expectUnharmed([key])
  })

  test('repeated losses of the database park no letter', async () => {
    const keys: string[] = []
    for (let time = 0; time < 3; time++) {
      keys.push(...(await submit(20)))
      await eventually(async () => (await countOf(keys, 'step_epoch > 0')) > 0, {
        message: 'work has begun',
      })
      postgres.refuse()
      await isAway('database')
      postgres.resume()
      await eventually(() => isUp('database'), {
        message: 'the database is back',
      })
    }

    await expectUnharmed(keys)
    expect(await countOf(keys, 'step_starts > 1')).toBe(0)
  })
})
