import { prepareQueues } from '@despatch/queue/prepare-queues'
import { takeQueueBackendsByEffort } from '@despatch/testing/queue-backends'
import { expect, onTestFinished, test } from 'vitest'
import { aPipeline } from './a-pipeline.ts'

test.each(await takeQueueBackendsByEffort('postgres'))(
  'a letter is accepted without waiting for any interval, with queues on $name',
  async ({ url }) => {
    await prepareQueues(url)
    const pipeline = await aPipeline(url)
    onTestFinished(pipeline.close)
    const never = 3_600_000
    const service = await pipeline.start({
      everyMs: never,
      config: { DESPATCH_SWEEP_INTERVAL_MS: never },
    })
    for (let time = 0; time < 2; time++) {
      const key = await pipeline.submit()
      service.nudge()
      expect(await pipeline.reached(key, 'PENDING')).toBe('PENDING')
    }
  },
)
