import { removesRelayed } from '../ground/requests.ts'
import { killAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

export const relayKilled: Scenario = {
  number: 4,
  name: 'the relay is killed after it has handed wake-ups to the queue, before it removes them',
  holds: 'I3 I7; the second task of a step does nothing',
  queues: 'each',
  smoke: 'redis',
  plan: {
    strike: async (world) => {
      const [one, other] = world.fleet.pipelines
      for (const pipeline of [one!, other!, one!]) {
        const name = 'killed between publish and mark'
        await killAt(world, pipeline, { name, at: 'before-request', request: removesRelayed })
      }
    },
  },
}
