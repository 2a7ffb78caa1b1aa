import { randomUUID } from 'node:crypto'
import type { WorkQueue } from '@despatch/domain/work/lane'
import { openListedQueues } from '@despatch/queue/listed-queues'
import { byEffort } from '@despatch/testing/effort'
import { eventually } from '@despatch/testing/eventually'
import { movesLetters } from '../ground/requests.ts'
import type { World } from '../run-under-faults.ts'
import { again, momentMsMax, strikeAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

const copies = [1, 2, 3, 4, 5]
const timesHeld = byEffort({ landing: 0, full: 3 })

/**
 * Puts letters into other batches while their worker holds them, and lets the worker go on only when those batches were
 * taken.
 */
function repeatWhileHeld(world: World): Promise<void> {
  const { pool } = world.database
  return strikeAt(world, world.fleet.pipelines[0]!, {
    name: 'its letters are in other batches while it holds them',
    at: 'before-request',
    request: movesLetters,
    act: async () => {
      const { rows } = await pool.query<{ key: string }>(
        `insert into letter_waiting (lane, consumer_id, subject, version)
         select 'plain', consumer_id, key, step_epoch from print_job
         where status in ('QUARANTINE', 'VALIDATING')
           and key in (select unnest(subjects) from letter_batch where leased_until > now())
         limit 5
         returning subject as key`,
      )
      await eventually(
        () =>
          areTaken(
            world,
            rows.map(({ key }) => key),
          ),
        {
          deadlineMs: momentMsMax,
          message: 'the other batches are taken',
        },
      )
      return 'pass'
    },
  })
}

async function areTaken({ database }: World, keys: readonly string[]): Promise<boolean> {
  const { rows } = await database.pool.query<{ isOver: boolean }>(
    `select not exists (select from letter_waiting where subject = any ($1::uuid[]))
       and not exists (select from letter_batch where subjects && $1::uuid[] and leased_until is null) as "isOver"`,
    [keys],
  )
  return rows[0]!.isOver
}

export const tasksRepeated: Scenario = {
  number: 17,
  name: 'a batch is delivered five times at once, and a letter is in several batches, again and again',
  holds: 'I3 I7; one worker takes it, the others do nothing',
  queues: 'each',
  smoke: 'redis',
  plan: {
    strike: async (world) => {
      const { database, ground } = world
      const board = openListedQueues({ url: ground.queueUrl(), onError: () => {} })
      const repeat = async () => {
        const { rows } = await database.pool.query<Batch>(
          'select id, epoch, lane, queue from letter_batch where leased_until is null',
        )
        for (const { id, epoch, lane, queue } of rows) {
          const data = { subject: id, epoch, lane }
          // a queue treats tasks with other ids as different ones
          const tasks = copies.map(() => ({ name: lane, data, opts: { jobId: randomUUID() } }))
          await board.queues
            .find(({ name }) => name === queue)!
            .addBulk(tasks)
            .catch(unlessLate)
        }
        await database.pool.query(
          `insert into letter_waiting (lane, consumer_id, subject, version)
           select lane, consumer_id, key, step_epoch from (
             select key, consumer_id, step_epoch from print_job where status in ('QUARANTINE', 'VALIDATING')
             order by created_at limit 5
           ) job cross join unnest(array['plain', 'files']) as lane`,
        )
      }
      try {
        for (let time = 0; time < timesHeld; time += 1) await repeatWhileHeld(world)
        await world.blow('tasks repeated', () =>
          again(world, { forMs: byEffort({ landing: 1_500, full: 5_000 }), everyMs: 50 }, repeat),
        )
      } finally {
        await board.close()
      }
    },
  },
}

/** On a slow machine a flooded queue may answer late. Whatever it took is repeated. */
function unlessLate(error: Error): void {
  if (!error.message.includes('timed out')) throw error
}

type Batch = { id: string; epoch: number; lane: string; queue: WorkQueue }
