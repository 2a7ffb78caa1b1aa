import { byEffort } from '@despatch/testing/effort'
import type { Scenario } from './scenario.ts'

export const postgresCrashes: Scenario = {
  number: 9,
  name: 'PostgreSQL crashes and restarts under load',
  holds: 'I1 I3 I10 I11',
  queues: 'each',
  smoke: 'redis',
  plan: {
    strike: async (world) => {
      for (const absentMs of byEffort({ landing: [1_000], full: [300, 1_500] })) {
        await world.outage('database', () => world.ground.restart('database', absentMs))
        await world.pause(1_000)
      }
    },
  },
}
