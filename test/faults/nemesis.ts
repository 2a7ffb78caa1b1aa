import { setTimeout as pause } from 'node:timers/promises'
import type { Chance } from './seeded-chance.ts'

/** A process that can be killed at any moment and restarted. */
export type Victim = { name: string; lose(): Promise<void>; restore(): Promise<void> }

export type NemesisOptions = {
  victims: readonly Victim[]
  chance: Chance
  /** The longest time between two blows, in milliseconds. */
  gapMsMax: number
  tell(line: string): void
}

/** Kills at random until it is stopped. */
export type Nemesis = {
  /** Rejects when a victim cannot be restarted. */
  raging: Promise<void>
  /** Stops the killing, with every victim running, and returns the number of blows. Throws if a restart failed. */
  stop(): Promise<number>
}

const gapMsMin = 500
/** How long a victim is gone at most before it is restarted, in milliseconds. */
const absenceMsMax = 500

export function startNemesis({ victims, chance, gapMsMax, tell }: NemesisOptions): Nemesis {
  const stopping = new AbortController()
  const { signal } = stopping
  let blows = 0

  async function strike(): Promise<void> {
    const victim = victims[Math.floor(chance() * victims.length)]!
    const absenceMs = chance() * absenceMsMax
    tell(`killed: ${victim.name}`)
    await victim.lose()
    blows += 1
    await pause(absenceMs)
    await victim.restore()
  }

  const raging = (async () => {
    while (!signal.aborted) {
      const gapMs = gapMsMin + chance() * (gapMsMax - gapMsMin)
      await pause(gapMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) await strike()
    }
  })()
  // `raging` and `stop` report the error.
  raging.catch(() => {})

  return {
    raging,
    stop: async () => {
      stopping.abort()
      await raging
      return blows
    },
  }
}
