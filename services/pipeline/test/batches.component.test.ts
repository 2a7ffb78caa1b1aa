import { manageQueues } from '@despatch/queue/manage-queues'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackendsByEffort } from '@despatch/testing/queue-backends'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aPipeline, type TestPipeline } from './a-pipeline.ts'

const queueBackends = await takeQueueBackendsByEffort('postgres')

describe.each(queueBackends)('batches with queues on $name', ({ url }) => {
  let pipeline: TestPipeline
  const managed = manageQueues({ url, onError: () => {} })

  beforeAll(async () => {
    await prepareQueues(url)
    return () => managed.close()
  })
  beforeEach(async () => {
    pipeline = await aPipeline(url)
    return async () => {
      await pipeline.close()
      await managed.resume('letters')
      await managed.drain('letters')
    }
  })

  const offered = () =>
    eventually(
      async () => {
        const { rows } = await pipeline.database.pool.query<{ epoch: number }>(
          'select epoch from letter_batch',
        )
        return rows.length === 1 && (await managed.find('letters')).waiting === 1 && rows[0]
      },
      { message: 'the batch waits in the queue' },
    )
  const timePasses = () => pipeline.database.pool.query('update letter_batch set due_at = now()')

  test('a letter is accepted without waiting for any interval', async () => {
    const never = 3_600_000
    const service = await pipeline.start({
      everyMs: never,
      config: { DESPATCH_SWEEP_INTERVAL_MS: never },
    })
    for (let time = 0; time < 2; time++) {
      const key = await pipeline.submit()
      service.nudge()
      await pipeline.reached(key, 'PENDING')
    }
  })

  test('a queue that is paused and then wiped loses no letter', async () => {
    await managed.pause('letters')
    await pipeline.start()
    const keys = [await pipeline.submit()]
    expect(await offered()).toEqual({ epoch: 1 })

    await managed.drain('letters')
    await managed.resume('letters')
    expect((await managed.find('letters')).waiting).toBe(0)
    await timePasses()

    for (const key of keys) await pipeline.reached(key, 'PENDING')
  })
})
