import { startReplicatedServer } from '../ground/replicated-server.ts'
import type { Scenario } from './scenario.ts'

export const postgresFailsOver: Scenario = {
  number: 11,
  name: 'PostgreSQL fails over to a synchronous replica under load',
  holds: 'I1 I2 I3 I4; what was accepted on the primary is on the replica',
  queues: 'each',
  isOnce: true,
  startServer: startReplicatedServer,
  plan: {
    strike: async (world) => {
      await world.pause(2_000)
      await world.outage('database', () => world.ground.restart('database', 1_000))
      await world.pause(1_000)
    },
  },
}
