import { setTimeout as pause } from 'node:timers/promises'
import type { ClientHistory } from './client-history.ts'
import type { OutageGround } from './outage-ground.ts'
import type { Blow } from './plan-outages.ts'

type Given = {
  ground: OutageGround
  history: ClientHistory
  outageMs: number
  signal?: AbortSignal
  tell(line: string): void
}

/** Carries out the blows, each at its moment, and gives back when everything is there again. */
export async function strike(blows: readonly Blow[], given: Given): Promise<void> {
  const { ground, history, outageMs, signal, tell } = given
  const startedAt = performance.now()
  const until = (ms: number) =>
    pause(Math.max(0, startedAt + ms - performance.now()), undefined, signal ? { signal } : {})
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
  const restarts = blows.filter((blow) => blow.dependency !== 'object-store')
  await Promise.all([
    outage('object-store', takeObjectStore),
    ...restarts.map(async ({ dependency, at, absentMs }) => {
      await until(at)
      tell(`killed: ${dependency}, for ${Math.round(absentMs)} ms`)
      await outage(dependency, () => ground.restart(dependency, absentMs))
    }),
  ])
}
