import type { Scenario } from './scenario.ts'

export const redisKilled: Scenario = {
  number: 12,
  name: 'Redis is killed and comes back with what it had on disk',
  holds: 'I1 I10; batches of its last second are offered again',
  queues: 'redis',
  plan: {
    strike: async (world) => {
      for (const absentMs of [300, 2_000]) {
        await world.outage('queue', () => world.ground.restart('queue', absentMs))
        await world.pause(1_000)
      }
    },
  },
}
