import { takesBatch } from '../ground/requests.ts'
import { killAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

export const workerLostInARow: Scenario = {
  number: 18,
  name: 'the only worker is killed three times in a row over the same letters',
  holds: 'I1; their batches are given up when the leases expire, and none is parked',
  queues: 'each',
  plan: {
    pipelines: 1,
    strike: async (world) => {
      const [pipeline] = world.fleet.pipelines
      for (const turn of [1, 2, 3]) {
        const name = `killed with what it has taken, ${turn}`
        await killAt(world, pipeline!, { name, at: 'before-reply', request: takesBatch })
      }
    },
  },
}
