import { movesLetters, recordsCalls, savesLetters } from '../ground/requests.ts'
import type { World } from '../run-under-faults.ts'
import { strikeAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

const cut = async () => 'cut' as const
const turns = [1, 2, 3]

async function cutAll(world: World, at: 'before-request' | 'before-reply'): Promise<void> {
  const { intake, pipelines, deliverers } = world.fleet
  const writers = [
    { member: intake, request: savesLetters },
    { member: pipelines[0]!, request: movesLetters },
    { member: deliverers[0]!, request: recordsCalls },
  ]
  await Promise.all(
    writers.map(({ member, request }) =>
      strikeAt(world, member, { name: `cut ${at}`, at, request, act: cut }),
    ),
  )
}

export const commitCut: Scenario = {
  number: 3,
  name: 'the connection is cut while COMMIT is in flight',
  holds: 'I1 I2 I7 I11; the outcome is looked up before anything is answered, and written once',
  queues: 'once',
  smoke: 'postgres',
  plan: {
    strike: async (world) => {
      for (const _ of turns) {
        await cutAll(world, 'before-reply')
        await cutAll(world, 'before-request')
      }
    },
  },
}
