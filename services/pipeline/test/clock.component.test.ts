import { prepareQueues } from '@despatch/queue/prepare-queues'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { expect, test } from 'vitest'
import { aPipeline } from './a-pipeline.ts'

const queueBackends = await takeQueueBackends()

test.each(queueBackends)(
  'a worker with a wrong clock takes no task and logs that, and continues when the clock is right, on $name',
  async ({ url }) => {
    await prepareQueues(url)
    let offMs = 60_000
    const pipeline = await aPipeline(url, {}, undefined, () => new Date(Date.now() + offMs))
    const service = await pipeline.start()
    const key = await pipeline.submit()

    const clock = async () => (await service.ready()).find(({ name }) => name === 'clock')
    const isOffered = async () =>
      (await pipeline.database.pool.query('select from letter_batch where leased_until is null'))
        .rows.length === 1
    await eventually(isOffered, { message: 'its batch is offered' })
    for (let time = 0; time < 5; time++) expect(await clock()).toMatchObject({ ok: false })
    expect(await isOffered()).toBe(true)

    offMs = 0
    expect(await clock()).toEqual({ name: 'clock', ok: true })
    await pipeline.reached(key, 'PENDING')
    await pipeline.close()
  },
)
