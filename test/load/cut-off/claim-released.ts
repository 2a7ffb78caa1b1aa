import { setTimeout as pause } from 'node:timers/promises'
import { claimRun } from '../runs/produce-run.ts'
import type { Stage } from '../runs/stage.ts'
import { timed } from '../statistics.ts'

const lookMs = 200

/** Claims runs over HTTP, each as soon as it is released. Returns how long each claim took, in seconds. */
export async function claimReleased(
  { database: { pool }, fulfilment }: Stage,
  { count }: { count: number },
  signal: AbortSignal,
): Promise<number[]> {
  const seconds: number[] = []
  while (seconds.length < count) {
    signal.throwIfAborted()
    const { rows } = await pool.query<{ batch_number: string }>(
      `select batch_number from print_run where state = 'RELEASED' order by released_at limit 1`,
    )
    const [released] = rows
    if (released) {
      const [took] = await timed(() => claimRun(fulfilment, released.batch_number))
      seconds.push(took)
    } else await pause(lookMs)
  }
  return seconds
}
