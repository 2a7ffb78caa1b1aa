import { movesLetters, numbersDocuments, recordsCalls, takesBatch } from '../ground/requests.ts'
import { killAt, killInTurn } from './blows.ts'
import type { Scenario } from './scenario.ts'

export const workersKilled: Scenario = {
  number: 5,
  name: 'workers are killed at every write of a step, deliverers between a call and its record, then at random',
  holds: 'I1 I3 I7 I10',
  queues: 'each',
  plan: {
    strike: async (world) => {
      const { pipelines, deliverers } = world.fleet
      const [one, other] = pipelines
      const moments = [
        { name: 'killed before it takes', at: 'before-request', request: takesBatch },
        { name: 'killed after it has taken', at: 'before-reply', request: takesBatch },
        { name: 'killed before it moves', at: 'before-request', request: movesLetters },
        { name: 'killed after it has moved', at: 'before-reply', request: movesLetters },
        { name: 'killed while it releases', at: 'before-request', request: numbersDocuments },
      ] as const
      await Promise.all([
        ...[one!, other!].map(async (pipeline, index) => {
          for (const moment of moments.filter((_, place) => place % 2 === index)) {
            await killAt(world, pipeline, moment)
          }
        }),
        killAt(world, deliverers[0]!, {
          name: 'killed before it records its calls',
          at: 'before-request',
          request: recordsCalls,
        }),
      ])
      await killInTurn(world, world.fleet.members, { forMs: 6_000 })
    },
  },
}
