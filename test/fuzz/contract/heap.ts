import { eventually } from '@despatch/testing/eventually'
import type { Despatch } from '../../stack/start-despatch.ts'

/** The memory of a process after garbage collection. */
export type Memory = { heapBytes: number; rssBytes: number }

/** The setting that makes a process of this tree load the probe. */
export const heapProbe = { NODE_OPTIONS: `--import=${new URL('./heap-probe.ts', import.meta.url)}` }

/** Measures a process that has loaded the probe. */
export async function measureHeap({
  process,
  output,
}: Pick<Despatch, 'process' | 'output'>): Promise<Memory> {
  const told = () => [...output().matchAll(/^heap-probe (.+)$/gm)]
  const before = told().length
  process.kill('SIGUSR2')
  const line = await eventually(() => told()[before], { message: 'the process tells its memory' })
  return JSON.parse(line[1]!)
}
