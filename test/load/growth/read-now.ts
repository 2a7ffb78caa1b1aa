import { setTimeout as pause } from 'node:timers/promises'
import type { Agent } from 'undici'
import { timed } from '../statistics.ts'
import { ask } from './reads.ts'
import type { System } from './system.ts'

/** The console shares figures that are not older. */
const recentMs = 1_000
const calls = 3

/** A sample of the figures, and one of what is read once a minute. They are absent if they could not be read in time. */
const samples = [/^print_jobs\{/m, /^print_run_documents\{/m]

/** Milliseconds of reading the metrics, from which *Now* is made. Infinite if the figures were not read. */
export type NowTimes = {
  /** With what is read once a minute: the first reading of a process. */
  withWatchMs: number
  figuresMs: number[]
}

/** Starts a console, and reads its figures through its metrics, each time after the previous ones have become old. */
export async function readNow({ ground }: System, agent: Agent): Promise<NowTimes> {
  const { program, origin } = await ground.serve('services/ops-console/src/main.ts', {
    environment: { LOG_LEVEL: 'warn' },
  })
  const console = { origin, headers: {} }
  const read = async () => {
    const [seconds, text] = await timed(() => ask(agent, console, '/metrics'))
    if (samples.every((sample) => sample.test(text))) return seconds * 1_000
    ground.tell('the figures of Now were not read in time')
    return Number.POSITIVE_INFINITY
  }
  try {
    await ask(agent, console, '/health/live')
    const withWatchMs = await read()
    const figuresMs: number[] = []
    for (let call = 0; call < calls; call++) {
      await pause(recentMs, undefined, { signal: ground.signal })
      figuresMs.push(await read())
    }
    return { withWatchMs, figuresMs }
  } finally {
    await program.stop()
  }
}
