import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ComparedFile } from './compare-file.ts'

/** A file, and what became of it. `failed`: the comparison itself threw, took too long, or ended its thread. */
export type Outcome = { path: string } & (
  | ComparedFile
  | { outcome: 'failed'; why: string; kinds: readonly string[] }
)

/** Three renderers may take a minute each for the file and for the letter. */
const millisecondsMax = 400_000

/**
 * Compares files in threads that are replaced when one takes too long. No file is begun after `secondsMax`. Returns
 * the outcomes in the order of the files.
 */
export async function compareFiles(
  paths: readonly string[],
  {
    threads,
    secondsMax,
    onDone,
  }: { threads: number; secondsMax: number; onDone?: (outcome: Outcome) => void },
): Promise<readonly Outcome[]> {
  const end = performance.now() + secondsMax * 1000
  const outcomes: Outcome[] = []
  let next = 0

  async function work(): Promise<void> {
    let worker: Worker | undefined
    while (next < paths.length && performance.now() < end) {
      const index = next++
      worker ??= new Worker(new URL('./corpus-worker.ts', import.meta.url))
      const path = paths[index]!
      const done = await compareIn(worker, path)
      outcomes[index] = { path, ...done }
      onDone?.(outcomes[index])
      if (done.outcome === 'failed') {
        await worker.terminate()
        worker = undefined
      }
    }
    await worker?.terminate()
  }

  await Promise.all(Array.from({ length: threads }, work))
  return outcomes.filter(Boolean)
}

async function compareIn(worker: Worker, path: string): Promise<DistributiveOmit<Outcome, 'path'>> {
  const settled = new AbortController()
  const late = AbortSignal.timeout(millisecondsMax)
  const signal = AbortSignal.any([settled.signal, late])
  try {
    worker.postMessage(path)
    return await Promise.race([
      once(worker, 'message', { signal }).then(([compared]) => compared),
      once(worker, 'exit', { signal: settled.signal }).then(() => failed('the thread ended')),
    ])
  } catch (error) {
    return failed(late.aborted ? `not done within ${millisecondsMax} ms` : String(error))
  } finally {
    settled.abort()
  }
}

type DistributiveOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never

function failed(why: string) {
  return { outcome: 'failed', why, kinds: [] } as const
}
