import { askRedis } from '@despatch/testing/redis'
import type { Scenario } from './scenario.ts'

export const redisFull: Scenario = {
  number: 15,
  name: 'Redis has no memory left',
  holds:
    'I1 I10 I11; intake accepts, letters wait in the database and are offered when there is room',
  queues: 'redis',
  plan: {
    strike: async (world) => {
      const url = world.ground.queueUrl()
      await world.outage('queue', async () => {
        await askRedis(url, 'CONFIG SET maxmemory 1mb')
        await world.pause(6_000)
        await askRedis(url, 'CONFIG SET maxmemory 0')
      })
    },
  },
}
