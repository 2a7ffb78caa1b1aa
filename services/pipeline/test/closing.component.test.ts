import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { aPipeline } from './a-pipeline.ts'

const queueBackends = await takeQueueBackends()

// A test that waits for a lease to expire times out.
const settings = { DESPATCH_STEP_LEASE_SECONDS: '600' }

describe.each(queueBackends)('a process that closes, with queues on $name', ({ url }) => {
  test('hands back its unfinished step, and another process takes the step at once', async () => {
    const { endpoint } = inject('infra').objectStore
    const proxy = await startTcpProxy({ port: Number(new URL(endpoint).port) })
    onTestFinished(() => proxy.close())
    const pipeline = await aPipeline(url, settings)
    onTestFinished(() => pipeline.close())
    const stepOf = (key: string) =>
      pipeline.database.db
        .selectFrom('print_job')
        .select(['step_epoch', 'step_starts', 'step_failures', 'status'])
        .where('key', '=', key)
        .executeTakeFirstOrThrow()
    const first = await pipeline.start({
      settings: { S3_ENDPOINT: new URL(proxy.through(endpoint)).origin },
      finishMsMax: 100,
    })
    const uploadId = await pipeline.anUpload(Buffer.from('%PDF-'))
    proxy.hang()
    const key = await pipeline.submit({ files: [{ fileId: 'scan', source: 'upload', uploadId }] })
    const held = await eventually(
      async () => {
        const { rowCount } = await pipeline.database.pool.query(
          'select from letter_batch where leased_until is not null',
        )
        return rowCount === 1 ? stepOf(key) : undefined
      },
      { message: 'the batch is leased' },
    )

    await first.close()

    expect(await stepOf(key)).toEqual({
      status: 'QUARANTINE',
      step_epoch: held.step_epoch + 1,
      step_starts: 0,
      step_failures: 0,
    })
    const { rows } = await pipeline.database.pool.query(
      'select due_at <= now() as is_due from letter_later',
    )
    expect(rows).toEqual([{ is_due: true }])
    await pipeline.start()
    await pipeline.reached(key, 'REJECTED')
  })
})
