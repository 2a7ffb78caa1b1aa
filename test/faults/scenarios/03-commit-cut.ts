import { randomUUID } from 'node:crypto'
import { byEffort } from '@despatch/testing/effort'
import { type AskingLetter, ask, untilAnswered } from '../clients/ask.ts'
import { jobsPath, postLetter, untilIn } from '../clients/post-letter.ts'
import { clientPrefix } from '../facts/client-history.ts'
import {
  deletesLetter,
  movesLetters,
  recordsCalls,
  savesLetters,
  savesWithoutKey,
} from '../ground/requests.ts'
import type { World } from '../run-under-faults.ts'
import { strikeAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

const cut = async () => 'cut' as const
const turns = byEffort({ landing: [1], full: [1, 2, 3] })

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

/** Without an Idempotency-Key, only intake can know that the letter it finds is the one it has just saved. */
function cutWithoutKey(world: World): Promise<void> {
  return strikeAt(world, world.fleet.intake, {
    name: 'cut before the reply to a letter without a key',
    at: 'before-reply',
    request: savesWithoutKey,
    act: cut,
  })
}

/**
 * Deletes a letter that is PENDING, and cuts the reply to the COMMIT. The client must be answered 204, since the letter
 * cannot be deleted a second time.
 */
async function cutDeletion(world: World): Promise<void> {
  const { client, database, fleet } = world
  const { asking } = client
  const id = `deleted-${randomUUID()}`
  const letter: AskingLetter = {
    id,
    process: `${clientPrefix}that deletes ${id}`,
    kind: { files: 'none', hasKey: true, isPatient: true, isCalledBack: false },
  }
  await postLetter(asking, letter, { sendControl: { hold: true } })
  await untilIn(database, id, ['PENDING'])
  const struck = strikeAt(world, fleet.intake, {
    name: 'cut before the reply to a deletion',
    at: 'before-reply',
    request: deletesLetter,
    act: cut,
  })
  const path = `${jobsPath}/${id}`
  await untilAnswered(asking, () =>
    ask(asking, letter, { operation: 'delete', method: 'DELETE', path }),
  )
  await struck
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
        await cutWithoutKey(world)
        await cutDeletion(world)
      }
    },
  },
}
