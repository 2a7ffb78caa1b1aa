import { byEffort } from '@despatch/testing/effort'
import { formsBatches, nudges } from '../ground/requests.ts'
import { killAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

export const killedBeforeItTells: Scenario = {
  number: 4,
  name: 'pipelines are killed before they offer their batches, and intake between a commit and its nudge',
  holds: 'I1 I3 I7; the batches are offered again, and letters are found without a nudge',
  queues: 'each',
  smoke: 'redis',
  plan: {
    strike: async (world) => {
      const struck = byEffort({ landing: 1, full: 2 })
      for (const pipeline of world.fleet.pipelines.slice(0, struck)) {
        await killAt(world, pipeline, {
          name: 'killed between forming and offering',
          at: 'before-reply',
          request: formsBatches,
        })
      }
      await killAt(world, world.fleet.intake, {
        name: 'killed between commit and nudge',
        at: 'before-request',
        request: nudges,
      })
    },
  },
}
