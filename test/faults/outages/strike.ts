import { setTimeout as pause } from 'node:timers/promises'
import type { ClientHistory } from './client-history.ts'
import type { OutageGround } from './outage-ground.ts'
import type { Blow } from './plan-outages.ts'

/** How long after the outage a letter may be saved at the latest whose reply is lost. */
const lostReplyWaitMs = 30_000

type Given = {
  ground: OutageGround
  history: ClientHistory
  outageMs: number
  signal?: AbortSignal
  tell(line: string): void
}

/**
 * Carries out the blows, each at its moment, and returns when everything is there again. Gives how many replies were lost:
 * one is not when no letter is saved any more.
 */
export async function strike(
  blows: readonly Blow[],
  given: Given,
): Promise<{ repliesLost: number }> {
  const { ground, history, outageMs, signal, tell } = given
  const startedAt = performance.now()
  const until = (ms: number) =>
    pause(Math.max(0, startedAt + ms - performance.now()), undefined, {
      ref: false,
      ...(signal && { signal }),
    })
  const outage = async (dependency: string, take: () => Promise<void>) => {
    history.add({ process: 'nemesis', type: 'invoke', operation: 'outage', id: dependency })
    await take()
    history.add({ process: 'nemesis', type: 'ok', operation: 'outage', id: dependency })
    tell(`back: ${dependency}`)
  }

  const turns = blows.filter((blow) => blow.dependency === 'object-store')
  const takeObjectStore = async () => {
    for (const { at, manner } of turns) {
      await until(at)
      tell(`object-store: ${manner}`)
      ground.objectStore[manner]()
    }
    await until(outageMs)
    ground.objectStore.resume()
  }
  // On a busy machine one is not back yet when it is to be killed again.
  const restarts = blows.filter((blow) => 'absentMs' in blow)
  const restartInTurn = async (turns: typeof restarts) => {
    for (const { dependency, at, absentMs } of turns) {
      await until(at)
      tell(`killed: ${dependency}, for ${Math.round(absentMs)} ms`)
      await outage(dependency, () => ground.restart(dependency, absentMs))
    }
  }

  let repliesLost = 0
  const loseReplies = async () => {
    for (const { at } of blows.filter((blow) => blow.dependency === 'reply')) {
      await until(at)
      await ground.loseSavedReply()
      repliesLost += 1
      tell('lost: the reply to letters that are saved')
    }
  }

  await Promise.all([
    outage('object-store', takeObjectStore),
    ...[...Map.groupBy(restarts, ({ dependency }) => dependency).values()].map(restartInTurn),
    Promise.race([loseReplies(), until(outageMs + lostReplyWaitMs)]),
  ])
  return { repliesLost }
}
