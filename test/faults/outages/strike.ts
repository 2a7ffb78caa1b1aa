import { setTimeout as pause } from 'node:timers/promises'
import { savesLetters } from '../ground/requests.ts'
import type { World } from '../run-under-faults.ts'
import type { Blow } from './plan-outages.ts'

/** How long after the outage to wait for a letter whose reply is lost. */
const lostReplyWaitMs = 30_000

type Given = { world: World; outageMs: number }

/** Carries out the blows, each at its time. Returns when every dependency is back. */
export async function strike(blows: readonly Blow[], { world, outageMs }: Given): Promise<void> {
  const { ground, fleet, signal, tell } = world
  const startedAt = performance.now()
  const until = (ms: number) =>
    pause(Math.max(0, startedAt + ms - performance.now()), undefined, {
      ref: false,
      ...(signal && { signal }),
    })

  const turns = blows.filter((blow) => blow.dependency === 'object-store')
  const takeObjectStore = async () => {
    for (const { at, manner } of turns) {
      await until(at)
      tell(`object-store: ${manner}`)
      ground.toAll('object-store', manner)
    }
    await until(outageMs)
    ground.toAll('object-store', 'resume')
  }
  // Restart one dependency at a time: on a busy machine it may not be back when its next kill is due.
  const restarts = blows.filter((blow) => 'absentMs' in blow)
  const restartInTurn = async (turns: typeof restarts) => {
    for (const { dependency, at, absentMs } of turns) {
      await until(at)
      const what = dependency === 'queue' ? 'empty-queue' : dependency
      await world.outage(dependency, () => ground.restart(what, absentMs))
    }
  }

  const loseReplies = async () => {
    for (const { at } of blows.filter((blow) => blow.dependency === 'reply')) {
      await until(at)
      await world.blow('reply to saved letters lost', () =>
        fleet.intake.links.database.loseReply({ request: savesLetters }),
      )
    }
  }

  await Promise.all([
    world.outage('object-store', takeObjectStore),
    ...[...Map.groupBy(restarts, ({ dependency }) => dependency).values()].map(restartInTurn),
    Promise.race([loseReplies(), until(outageMs + lostReplyWaitMs)]),
  ])
}
