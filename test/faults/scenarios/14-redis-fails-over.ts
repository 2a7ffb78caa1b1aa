import { eventually } from '@despatch/testing/eventually'
import { askRedis, startRedis } from '@despatch/testing/redis'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { momentMsMax } from './blows.ts'
import type { Scenario } from './scenario.ts'

export const redisFailsOver: Scenario = {
  number: 14,
  name: 'Redis fails over to a replica that lags behind',
  holds: 'I1 I4; tasks that reappear do nothing, and lost batches are offered again',
  queues: 'redis',
  isOnce: true,
  plan: {
    strike: async (world) => {
      await using parts = new AsyncDisposableStack()
      const { ground } = world
      const primary = Number(new URL(ground.queueUrl()).port)
      const replication = parts.use(await startTcpProxy({ port: primary }))
      const replica = await startRedis()
      if (!replica) throw new Error('There is no redis-server')
      world.keep(() => replica.stop())
      await askRedis(replica.url, `REPLICAOF 127.0.0.1 ${replication.port}`)
      await eventually(
        async () => (await askRedis(replica.url, 'PING')) === '+PONG' && isInStep(replica.url),
        { message: 'the replica has what the primary has', deadlineMs: momentMsMax },
      )
      await world.outage('queue', async () => {
        await world.blow('the replica lags behind', () => {
          replication.hang()
          return world.pause(2_000)
        })
        ground.toAll('queue', 'refuse')
        await askRedis(replica.url, 'REPLICAOF NO ONE')
        ground.retarget('queue', Number(new URL(replica.url).port))
        ground.toAll('queue', 'resume')
      })
      await world.pause(1_000)
    },
  },
}

async function isInStep(url: string): Promise<boolean> {
  return (await askRedis(url, 'EXISTS despatch:letters:meta')) === ':1'
}
