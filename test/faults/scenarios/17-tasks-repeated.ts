import { openQueues } from '@despatch/queue/open-queues'
import { again } from './blows.ts'
import type { Scenario } from './scenario.ts'

const copies = [1, 2, 3, 4, 5]
/** Higher than the epoch of any step here, so that a queue treats each of these tasks as a different one. */
const epochsFrom = 1_000

export const tasksRepeated: Scenario = {
  number: 17,
  name: 'the same step is delivered five times at once, again and again',
  holds: 'I3 I7; one worker takes it, the others do nothing',
  queues: 'each',
  smoke: 'redis',
  plan: {
    strike: async (world) => {
      const { database, ground } = world
      const queues = openQueues({ url: ground.queueUrl(), onError: () => {} })
      let round = 0
      const repeat = async () => {
        const { rows } = await database.pool.query<{ key: string; status: string }>(
          `select key, status from print_job where status in ('QUARANTINE', 'VALIDATING') order by created_at limit 20`,
        )
        round += 1
        const epochs = copies.map((copy) => epochsFrom * round + copy)
        for (const name of ['quarantine', 'validate'] as const) {
          await queues.enqueue(
            name,
            rows.flatMap(({ key }) => epochs.map((epoch) => ({ subject: key, epoch }))),
          )
        }
      }
      try {
        await world.blow('tasks repeated', () =>
          again(world, { forMs: 5_000, everyMs: 20 }, repeat),
        )
      } finally {
        await queues.close()
      }
    },
  },
}
