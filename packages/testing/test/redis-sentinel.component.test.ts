import { readEvictionPolicy } from '@despatch/queue/eviction-policy'
import { openRedis, type RedisNode } from '@despatch/redis/open-redis'
import { eventually } from '@despatch/testing/eventually'
import { startWatchedRedis } from '@despatch/testing/redis-sentinel'
import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aUsageStore, someQueues } from './on-redis.ts'

const watched = await startWatchedRedis({ sentinels: 3 })
if (watched) await shared(watched)

describe.skipIf(!watched)('Redis behind sentinels', () => {
  const { url, failOver, sentinels } = watched!

  test('after a failover carries each task and counts each acknowledged use', async () => {
    const { enqueue, untilSeen } = someQueues(url)
    const usage = aUsageStore(url)
    await untilSeen([await enqueue()])
    await eventually(async () => (await usage.add('one', 1, 60)) !== undefined, {
      message: 'the store of usage is connected',
    })
    const former = await serverOf(url)

    await failOver()

    await eventually(async () => (await serverOf(url)) !== former, {
      message: 'a new connection goes to the new master',
    })
    const later: string[] = []
    for (let task = 0; task < 20; task += 1) later.push(await enqueue())
    await untilSeen(later)
    await eventually(async () => (await usage.add('another', 1, 60)) !== undefined, {
      message: 'the store of usage is connected again',
    })
    expect(await usage.add('another', 2, 60)).toBe(3)
    expect(await usage.read('another')).toBe(3)
  })

  test('works while one of its sentinels is unavailable', async () => {
    await sentinels[0]!.stop()

    expect(await readEvictionPolicy(url)).toBe('noeviction')
    const { enqueue, untilSeen } = someQueues(url)
    await untilSeen([await enqueue()])
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
