import { randomUUID } from 'node:crypto'
import { openUsageStore } from '@despatch/access/usage-store'
import { readEvictionPolicy } from '@despatch/queue/eviction-policy'
import { openQueues } from '@despatch/queue/open-queues'
import type { Queues, Task } from '@despatch/queue/queues'
import { openRedis, type RedisNode } from '@despatch/redis/open-redis'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { eventually } from '@despatch/testing/eventually'
import { startWatchedRedis } from '@despatch/testing/redis-sentinel'
import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'

const watched = await startWatchedRedis({ sentinels: 3 })
if (watched) await shared(watched)

describe.skipIf(!watched)('Redis behind sentinels', () => {
  const { url, failOver, sentinels } = watched!

  test('after a failover carries each task and counts each acknowledged use', async () => {
    const { queues, seen } = await consuming()
    const usage = aUsageStore()
    await enqueued(queues, 'before')
    await eventually(() => seen.has('before'), { message: 'a task of before is seen' })
    await eventually(async () => (await usage.add('one', 1, 60)) !== undefined, {
      message: 'the store of usage is connected',
    })
    const former = await serverOf(url)

    await failOver()

    await eventually(async () => (await serverOf(url)) !== former, {
      message: 'a new connection goes to the new master',
    })
    const later = Array.from({ length: 20 }, () => randomUUID())
    for (const subject of later) await enqueued(queues, subject)
    await eventually(() => later.every((subject) => seen.has(subject)), {
      message: 'every task of after the failover is seen',
    })
    await eventually(async () => (await usage.add('another', 1, 60)) !== undefined, {
      message: 'the store of usage is connected again',
    })
    expect(await usage.add('another', 2, 60)).toBe(3)
    expect(await usage.read('another')).toBe(3)
  })

  test('works while one of its sentinels is unavailable', async () => {
    await sentinels[0]!.stop()

    expect(await readEvictionPolicy(url)).toBe('noeviction')
    const { queues, seen } = await consuming()
    await enqueued(queues, 'now')
    await eventually(() => seen.has('now'), { message: 'a task is seen' })
  })

  test.each([
    ['an unknown group', (address: URL) => address.searchParams.set('sentinel', 'others')],
    ['a wrong password', (address: URL) => address.searchParams.set('sentinel_password', 'no')],
  ])('is not found under %s', async (_name, change) => {
    const address = new URL(url.replace(/@[^/?]*/, `@${new URL(sentinels[1]!.url).host}`))
    change(address)

    await expect(readEvictionPolicy(address.href)).rejects.toMatchObject({
      cause: { code: 'NO_SENTINEL_ANSWERS' },
    })
  })

  test('is asked for again when the current server is a replica', async () => {
    const client = openRedis(url, { maxRetriesPerRequest: 1 }) as RedisNode
    onTestFinished(() => client.disconnect())
    client.on('error', () => {})
    let connections = 0
    client.on('ready', () => connections++)
    await eventually(() => connections === 1, { message: 'the client is connected' })

    const answer = client.eval("return redis.error_reply('READONLY of a former master')", 0)

    await expect(answer).rejects.toThrow('READONLY')
    await eventually(() => connections === 2, { message: 'the client is connected again' })
  })
})

async function consuming() {
  const errors: Error[] = []
  const onError = (error: Error) => void errors.push(error)
  const queues = openQueues({ url: watched!.url, prefix: randomUUID(), onError })
  onTestFinished(() => queues.close())
  const seen = new Set<string>()
  const see = async ({ subject }: Task) => void seen.add(subject)
  const consumer = queues.consume('letters', see, { concurrency: 1, onError })
  onTestFinished(() => consumer.close())
  return { queues, seen }
}

/** Offers a task until the queue acknowledges it, as the scheduler does. */
async function enqueued(queues: Queues, subject: string) {
  const offer = () =>
    queues.enqueue('letters', [{ subject, epoch: 1 }]).then(
      () => true,
      () => false,
    )
  await eventually(offer, { message: 'a task is acknowledged' })
}

/** Which server a new connection has, by its port. */
async function serverOf(url: string): Promise<string | undefined> {
  const client = openRedis(url, { maxRetriesPerRequest: 1 }) as RedisNode
  client.on('error', () => {})
  try {
    const info = await client.info('server')
    return /tcp_port:(\d+)/.exec(info)?.[1]
  } finally {
    client.disconnect()
  }
}

function aUsageStore() {
  const store = openUsageStore({
    queueUrl: watched!.url,
    pool: undefined as never,
    log: createLogger({ service: 'print-request', destination: { write: () => {} } }),
    metrics: createMetrics('print-request'),
  })
  onTestFinished(() => store.close())
  return store
}
