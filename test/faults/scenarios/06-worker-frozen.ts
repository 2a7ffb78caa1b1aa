import { movesLetters } from '../ground/requests.ts'
import { strikeAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

/** Longer than a step's lease and the grace of the sweep, shorter than the server lets a transaction rest. */
const lateMs = 7_000
/** Longer than the lease of a callback, the lock of a queue and its search for stalled tasks. */
const frozenMs = 22_000

export const workerFrozen: Scenario = {
  number: 6,
  name: 'a worker is frozen past its lease and goes on; a write of it arrives late',
  holds: 'I4 I7; what it writes then changes no row',
  queues: 'each',
  plan: {
    lettersPerSecond: 4,
    strike: async (world) => {
      const [late, frozen] = world.fleet.pipelines
      const [deliverer] = world.fleet.deliverers
      const writeLate = async () => {
        for (const turn of [1, 2]) {
          await strikeAt(world, late!, {
            name: `its write is ${lateMs} ms late, ${turn}`,
            at: 'before-request',
            request: movesLetters,
            act: async () => {
              await world.pause(lateMs)
              return 'pass'
            },
          })
        }
      }
      const freeze = async () => {
        await world.pause(frozenMs)
      }
      await Promise.all([
        writeLate(),
        world.blow('a pipeline and a deliverer frozen', async () => {
          for (const member of [frozen!, deliverer!]) member.freeze()
          await freeze()
          for (const member of [frozen!, deliverer!]) member.thaw()
          world.noteThaw()
        }),
      ])
    },
  },
}
