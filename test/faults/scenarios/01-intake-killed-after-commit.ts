import { byEffort } from '@despatch/testing/effort'
import { savesLetters } from '../ground/requests.ts'
import { killAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

export const intakeKilledAfterCommit: Scenario = {
  number: 1,
  name: 'intake is killed after COMMIT, before the reply',
  holds: 'I1 I2; a retry with the same Idempotency-Key is answered 202, one without it 409',
  queues: 'once',
  smoke: 'redis',
  plan: {
    strike: async (world) => {
      const { intake } = world.fleet
      const moment = { at: 'before-reply', request: savesLetters } as const
      for (const turn of byEffort({ landing: [1], full: [1, 2, 3] })) {
        await killAt(world, intake, { ...moment, name: `killed after commit ${turn}` })
      }
    },
  },
}
