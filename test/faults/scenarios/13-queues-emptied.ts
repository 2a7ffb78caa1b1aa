import { byEffort } from '@despatch/testing/effort'
import { wipeQueues } from '../../stack/wipe-queues.ts'
import { takesBatch } from '../ground/requests.ts'
import { strikeAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

export const queuesEmptied: Scenario = {
  number: 13,
  name: 'the queues are emptied under load, and Redis comes back with nothing',
  holds: 'I1 I3 I5; batches that no worker takes are offered again, because the database has them',
  queues: 'each',
  smoke: 'redis',
  plan: {
    strike: async (world) => {
      const { blow, fleet, ground, queue } = world
      const [pipeline] = fleet.pipelines
      // the queue counts this batch as taken, and forgets it
      await strikeAt(world, pipeline!, {
        name: 'queues emptied while its worker dies',
        at: 'before-request',
        request: takesBatch,
        act: async () => {
          await pipeline!.kill()
          await wipeQueues(ground.queueUrl())
          return 'cut'
        },
      })
      for (const _ of byEffort({ landing: [1], full: [1, 2, 3] })) {
        await blow('queues emptied', () => wipeQueues(ground.queueUrl()))
        await world.pause(700)
      }
      if (queue === 'redis') {
        await world.outage('queue', () => ground.restart('empty-queue', 300))
        await world.pause(1_000)
      }
    },
  },
}
