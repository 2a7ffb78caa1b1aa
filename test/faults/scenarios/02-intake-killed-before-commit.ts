import { savesLetters } from '../ground/requests.ts'
import { killAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

export const intakeKilledBeforeCommit: Scenario = {
  number: 2,
  name: 'intake is killed before COMMIT',
  holds: 'I1 I2; nothing waits for a letter that is not kept, and no upload is used up by one',
  queues: 'once',
  plan: {
    strike: async (world) => {
      const { intake } = world.fleet
      const moment = { at: 'before-request', request: savesLetters } as const
      for (const turn of [1, 2, 3]) {
        await killAt(world, intake, { ...moment, name: `killed before commit ${turn}` })
      }
    },
    judge: async ({ database }) => {
      const { rows } = await database.pool.query<{ subject: string }>(
        `select subject from (
           select subject from letter_waiting
           union all select subject from letter_later
           union all select unnest(subjects) from letter_batch
         ) place where subject not in (select key from print_job)
         union all
         select id from upload where print_job_key not in (select key from print_job)`,
      )
      return rows.map(({ subject }) => ({
        rule: 'nothing points to a letter that is not kept',
        subject,
        detail: 'waits or is used up',
      }))
    },
  },
}
